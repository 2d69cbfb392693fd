// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Sources finds the files that profiles name.
type Sources struct {
	dir     string
	folders map[string]string // of packages, by import path
	mains   []string          // the folders of programs
}

// NewSources returns Sources that find files from a folder, as the go command finds packages there.
func NewSources(dir string) *Sources {
	return &Sources{dir: dir, folders: make(map[string]string)}
}

// find asks the go command for the folders of packages. What it can't find has no source.
func (s *Sources) find(packages []string) {
	args := []string{"list", "-e", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Dir}}", "./..."}
	for _, p := range packages {
		if p != "main" {
			args = append(args, p)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = s.dir
	out, _ := cmd.Output()
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		kind, folder, _ := strings.Cut(rest, "\t")
		if folder == "" {
			continue
		}
		s.folders[name] = folder
		if kind == "main" {
			s.mains = append(s.mains, folder)
		}
	}
}

// lines are the lines of a file that a profile names, nil if it isn't found.
func (s *Sources) lines(file string) []string {
	var folders []string
	switch p := packageOf(file); p {
	case "main":
		folders = s.mains
	default:
		folders = []string{s.folders[p]}
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, path.Base(file)))
		if err == nil {
			return strings.Split(string(bytes.TrimSuffix(text, []byte("\n"))), "\n")
		}
	}
	return nil
}

// packageOf is the package of a file, whose folder has the tests of a package beside it.
func packageOf(file string) string { return strings.TrimSuffix(path.Dir(file), "_test") }
