// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/bench/measure"
)

// A pkg is a package whose tests are run.
type pkg struct {
	target target
	path   string // import path
	dir    string // its folder, in which its tests run
}

// prepare fetches and copies a target and returns its packages that have tests.
func (t target) prepare() ([]pkg, error) {
	root := filepath.Join(*dir, t.name)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, err
	}
	if t.module == "" {
		return t.list(root, t.packages...)
	}
	src := filepath.Join(root, "src")
	if _, err := os.Stat(src); err != nil {
		if err := measure.CopyModule(src, t.module); err != nil {
			return nil, err
		}
	}
	if t.packages != nil {
		return t.list(src, t.packages...)
	}
	return t.list(src, "./...")
}

// marks are the patterns of what build atomic marks in the package.
func (p pkg) marks() []string {
	module, _, _ := strings.Cut(p.target.module, "@")
	for _, m := range p.target.atomic {
		if p.path == module+m.pkg {
			return m.patterns
		}
	}
	return nil
}

// list returns the packages in dir that match the patterns and have tests, or every n-th of them.
func (t target) list(dir string, patterns ...string) ([]pkg, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	cmd := exec.Command("go", append([]string{"list", "-f", format}, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w%s", err, stderr(err))
	}
	var all []pkg
	for line := range strings.Lines(string(out)) {
		if path, folder, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, pkg{t, path, folder})
		}
	}
	if t.every == 0 || *marked {
		return all, nil
	}
	var some []pkg
	for i := 0; i < len(all); i += t.every {
		some = append(some, all[i])
	}
	return some, nil
}

func stderr(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "\n" + string(exit.Stderr)
	}
	return ""
}
