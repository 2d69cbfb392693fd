// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/report"
)

// writeReports writes findings, and failures of explored tests, in the formats that -report asks
// for.
func writeReports(
	outputs []format.Output, findings []*report.Finding, failures []report.Failure,
) error {
	if len(outputs) == 0 {
		return nil
	}
	run := &report.Run{Command: append([]string{"commute"}, os.Args[1:]...),
		Findings: findings, Failures: failures}
	return format.Write(outputs, run, sourceRoot(), ownVersion())
}

// sourceRoot is the folder that paths in reports are relative to: that of the repository in GitHub
// Actions, or the nearest one above that has a repository, a workspace or a module.
func sourceRoot() string {
	if dir := os.Getenv("GITHUB_WORKSPACE"); dir != "" {
		return dir
	}
	start, err := os.Getwd()
	if err != nil {
		return "."
	}
	for _, mark := range []string{".git", "go.work", "go.mod"} {
		for dir := start; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
			if filepath.Dir(dir) == dir {
				break
			}
		}
	}
	return start
}

// ownVersion is the version of commute, "(devel)" if it was built from a work tree.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return cmp.Or(info.Main.Version, "(devel)")
}
