// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package target says for which platform a program is built, and which files
// belong to it.
//
// Input: a file's name and contents. Output: whether its name and its build
// constraint hold.
package target

import (
	"bytes"
	"cmp"
	"go/build"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/commutego/commute/internal/toolchain/goversion"
)

// A Platform is what a program is built for.
type Platform struct {
	GOOS, GOARCH string
	Release      string // of Go, as in "go1.27.4"; if empty, that of this program
}

// Current returns the platform that the go command of a release builds for: it sets both
// variables for the tools that it runs.
func Current(release string) Platform {
	return Platform{
		GOOS:    cmp.Or(os.Getenv("GOOS"), runtime.GOOS),
		GOARCH:  cmp.Or(os.Getenv("GOARCH"), runtime.GOARCH),
		Release: release,
	}
}

// CompilerRace reports whether the compiler can instrument accesses to memory for p.
func (p Platform) CompilerRace() bool {
	return slices.Contains([]string{
		"linux/amd64", "linux/arm64", "linux/loong64", "linux/ppc64le", "linux/riscv64",
		"linux/s390x",
		"darwin/amd64", "darwin/arm64", "freebsd/amd64", "netbsd/amd64", "windows/amd64",
	}, p.String())
}

// Deadlocks reports whether locks are followed there, for potential deadlocks: that needs frame
// pointers.
func (p Platform) Deadlocks() bool { return p.GOARCH == "amd64" || p.GOARCH == "arm64" }

// Explores reports whether schedules can be explored there: the scheduler is asked on Linux, and
// what the engine asks of a processor is known of these.
func (p Platform) Explores() bool {
	return slices.Contains([]string{"linux/amd64", "linux/arm64", "linux/386"}, p.String())
}

// Files reports whether what watches a program can write files there: Go's runtime opens none on
// others.
func (p Platform) Files() bool {
	return slices.Contains([]string{
		"linux", "android", "darwin", "ios", "freebsd", "netbsd", "openbsd", "dragonfly",
	}, p.GOOS)
}

// String is the platform's name, as in "linux/amd64".
func (p Platform) String() string { return p.GOOS + "/" + p.GOARCH }

// Match reports whether a file belongs to p if some tags are set.
func (p Platform) Match(name string, data []byte, tags ...string) (bool, error) {
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH, ctxt.Compiler = p.GOOS, p.GOARCH, "gc"
	ctxt.CgoEnabled = false
	ctxt.BuildTags, ctxt.ToolTags = tags, nil
	if p.Release != "" {
		ctxt.ReleaseTags = goversion.Tags(p.Release)
	}
	ctxt.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	return ctxt.MatchFile(string(filepath.Separator), name)
}
