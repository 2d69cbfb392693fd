// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package enginetest has a very small engine for the toolchain's tests. It counts the hooks that a
// program calls, and prints the counts as the program ends.
//
// Input: none. Output: a configuration of package toolexec.
package enginetest

import (
	"embed"
	"io/fs"
	"testing/fstest"

	"github.com/commutego/commute"
	"github.com/commutego/commute/internal/toolchain/bundle"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

//go:embed testdata
var files embed.FS

// compiled is the package of the real engine that declares what compiled code hands over.
const compiled = "internal/engine/compiled"

// Engine is the engine's packages.
func Engine() bundle.Engine {
	all := make(fstest.MapFS)
	add(all, sub("testdata/engine"), ".")
	add(all, commute.Engine().FS, compiled)
	return bundle.Engine{
		FS:     all,
		Module: "example.com/engine",
		Host:   "host",
		Dirs:   []string{compiled, "tally", "runtime"},
	}
}

// add adds the files of one file system, from a folder on down, to another.
func add(all fstest.MapFS, from fs.FS, dir string) {
	err := fs.WalkDir(from, dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, path)
		all[path] = &fstest.MapFile{Data: data, Mode: 0o444}
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
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
