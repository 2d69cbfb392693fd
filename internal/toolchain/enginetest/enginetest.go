// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package enginetest has a very small engine for the toolchain's tests: it counts
// the hooks that a program calls and prints the counts as the program ends.
//
// Input: none. Output: a configuration of package toolexec.
package enginetest

import (
	"embed"
	"io/fs"

	"github.com/commutego/commute/internal/toolchain/bundle"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

//go:embed testdata
var files embed.FS

// Engine is the engine's packages.
func Engine() bundle.Engine {
	return bundle.Engine{
		FS:     sub("testdata/engine"),
		Module: "example.com/engine",
		Host:   "host",
		Dirs:   []string{"tally", "runtime"},
	}
}

// Config is the engine with the templates that call it.
func Config() toolexec.Config {
	return toolexec.Config{
		Engine:    Engine(),
		Templates: sub("testdata/templates"),
		Specs:     toolexec.Shipped,
	}
}

func sub(dir string) fs.FS {
	fsys, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the names are valid
	}
	return fsys
}
