// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specs

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/commutego/commute/ecl"
)

//go:embed expvar github.com golang.org k8s.io sync
var files embed.FS

// A file is an embedded file. It is parsed when its specs are asked for: a compilation needs few.
type file struct {
	name  string
	specs func() []*ecl.Spec
}

// list lists the embedded files.
var list = sync.OnceValue(func() []file {
	var list []file
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".ecl" {
			specs := sync.OnceValue(func() []*ecl.Spec { return parse(name) })
			list = append(list, file{name, specs})
		}
		return err
	})
	if err != nil {
		panic("commute: embedded specs: " + err.Error())
	}
	return list
})

// parse parses an embedded file; all are tested, so a fault is a defect.
func parse(name string) []*ecl.Spec {
	text, err := files.ReadFile(name)
	if err != nil {
		panic("commute: embedded spec: " + err.Error())
	}
	specs, err := ecl.Parse("specs/"+name, 1, 1, string(text))
	if err != nil {
		panic("commute: embedded spec: " + err.Error())
	}
	return specs
}

// All returns the specs of all types.
func All() []*ecl.Spec {
	var all []*ecl.Spec
	for _, f := range list() {
		all = append(all, f.specs()...)
	}
	return all
}

// For returns the specs of the types of one package, from the folder of its import path.
func For(importPath string) []*ecl.Spec {
	var all []*ecl.Spec
	for _, f := range list() {
		if path.Dir(f.name) == importPath {
			all = append(all, f.specs()...)
		}
	}
	return all
}

// paths lists the packages that have a spec, sorted.
func paths() []string {
	var list []string
	for _, s := range All() {
		list = append(list, s.Path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
