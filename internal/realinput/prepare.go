// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		return t.list(root, t.std...)
	}
	src := filepath.Join(root, "src")
	if _, err := os.Stat(src); err != nil {
		if err := t.fetch(src); err != nil {
			return nil, err
		}
	}
	return t.list(src, "./...")
}

// fetch copies the module to dst.
func (t target) fetch(dst string) error {
	cmd := exec.Command("go", "mod", "download", "-json", t.module)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr != nil {
		return errors.Join(err, jsonErr)
	}
	if err != nil || m.Error != "" {
		return fmt.Errorf("go mod download %s: %v %s", t.module, err, m.Error)
	}
	if err := os.CopyFS(dst, os.DirFS(m.Dir)); err != nil {
		return err
	}
	if err := makeWritable(dst); err != nil {
		return err
	}
	path := filepath.Join(dst, "go.mod")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	module, _, _ := strings.Cut(t.module, "@")
	return os.WriteFile(path, []byte("module "+module+"\n\ngo 1.26\n"), 0o666)
}

// makeWritable undoes the module cache's protection.
func makeWritable(root string) error {
	return filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()|0o200)
	})
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
	if t.every == 0 {
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
