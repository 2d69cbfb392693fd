// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/commutego/commute/internal/explore"
)

// programsFolder has the programs, from the root of the repository.
const programsFolder = "testdata/explore"

// timeout is that of a run of a program. Their time is virtual, for the most part.
const timeout = time.Minute

// programs compiles testdata/explore, and lists the tests whose names begin so.
func programs(dir, tool, prefix string, chosen *regexp.Regexp) (b *explore.Binary, names []string,
	err error) {
	folder, err := filepath.Abs(programsFolder)
	if err != nil {
		return nil, nil, err
	}
	b = &explore.Binary{Path: filepath.Join(dir, "programs.test"), Dir: folder}
	if err := explored.compile(tool, b.Path, folder); err != nil {
		return nil, nil, err
	}
	all, err := b.Tests()
	for _, name := range all {
		if strings.HasPrefix(name, prefix) && chosen.MatchString(name) {
			names = append(names, name)
		}
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: no test %s... is chosen", folder, prefix)
	}
	return b, names, err
}

// silence suppresses the reports of programs that are started, until restore is called.
func silence(dir string) (restore func(), err error) {
	file := filepath.Join(dir, "silent")
	if err := os.WriteFile(file, []byte("*\n"), 0o666); err != nil {
		return nil, err
	}
	const variable = "COMMUTE"
	old := os.Getenv(variable)
	return func() { _ = os.Setenv(variable, old) },
		os.Setenv(variable, strings.TrimSpace(old+" suppressions="+file))
}

// A tally is of some numbers.
type tally struct{ n, sum, max int }

func (t *tally) add(x int) { t.n, t.sum, t.max = t.n+1, t.sum+x, max(t.max, x) }

// String has the mean and the maximum.
func (t tally) String() string {
	if t.n == 0 {
		return "- | -"
	}
	return fmt.Sprintf("%.1f | %d", float64(t.sum)/float64(t.n), t.max)
}
