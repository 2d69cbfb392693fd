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

// all parses the embedded files once; they are tested, so a fault is a defect.
var all = sync.OnceValue(func() []*ecl.Spec {
	var specs []*ecl.Spec
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".ecl" {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		list, err := ecl.Parse("specs/"+name, 1, 1, string(text))
		specs = append(specs, list...)
		return err
	})
	if err != nil {
		panic("commute: embedded spec: " + err.Error())
	}
	return specs
})

// All returns the specs of all types.
func All() []*ecl.Spec { return slices.Clone(all()) }

// For returns the specs of the types of one package.
func For(importPath string) []*ecl.Spec {
	var list []*ecl.Spec
	for _, s := range all() {
		if s.Path == importPath {
			list = append(list, s)
		}
	}
	return list
}

// paths lists the packages that have a spec, sorted.
func paths() []string {
	var list []string
	for _, s := range all() {
		list = append(list, s.Path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
