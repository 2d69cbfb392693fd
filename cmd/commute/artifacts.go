// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/report"
)

// artifactsEnding is the end of the name of the file with the folders of artifacts of a process's
// tests. It is there if go test was given -artifacts, and a test has findings.
const artifactsEnding = ".artifacts"

// An artifact is the folder of artifacts of a test, and what was found with that test.
type artifact struct {
	dir      string
	findings []*report.Finding
}

// addArtifacts adds the folders that one process has named, a line for each test. Reports is the
// file with the reports of the process; it may be missing.
func (c *counts) addArtifacts(text, reports string) {
	var all []*report.Finding
	if text, err := os.ReadFile(reports); err == nil {
		all = report.Parse(text)
	}
	for line := range strings.Lines(text) {
		test, dir, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		a := artifact{dir: dir}
		for _, f := range all {
			if slices.Contains(f.Tests, test) {
				a.findings = append(a.findings, f)
			}
		}
		c.artifacts = append(c.artifacts, a)
	}
}

// writeArtifacts writes the reports of each test to its folder of artifacts: commute.html is for
// people, and commute.json for programs.
func (c *counts) writeArtifacts() error {
	var errs []error
	for _, a := range c.artifacts {
		findings := report.Merge(a.findings)
		if len(findings) == 0 {
			continue // reports of other tests have them
		}
		var outputs []format.Output
		for _, name := range []string{"html", "json"} {
			o, err := format.To("-artifacts: ", name, filepath.Join(a.dir, "commute."+name))
			if err != nil {
				errs = append(errs, err)
				continue
			}
			outputs = append(outputs, o)
		}
		errs = append(errs, writeReports(outputs, findings, nil))
	}
	return errors.Join(errs...)
}
