// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// noDefer are the methods that can't panic once their keys are hashed (see instrument.Package).
// Methods of sync.Map that compare values may panic, and so may those of atomic.Value.
var noDefer = map[string]map[string]bool{
	"sync": methods([]string{"Map"}, "Load", "Store", "LoadOrStore", "LoadAndDelete",
		"Delete", "Swap"),
	"sync/atomic": methods([]string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Bool",
		"Pointer"}, "Load", "Store", "Swap", "Add", "And", "Or", "CompareAndSwap"),
}

// bare are the observers that do nothing more once a callback has ended by a panic.
var bare = map[string]map[string]bool{"sync": methods([]string{"Map"}, "Range")}

func methods(types []string, names ...string) map[string]bool {
	m := make(map[string]bool)
	for _, t := range types {
		for _, name := range names {
			m[t+"."+name] = true
		}
	}
	return m
}

// Specs makes the engine know of calls of the methods that specs speak of. Positions in methods
// stay, since only names are edited.
func (p *Package) Specs(specs []*ecl.Spec) error { return p.instrument(specs, false) }

// SpecWrappers adds a wrapper beside each of the methods that specs speak of. The engine knows of
// calls of the wrappers only.
func (p *Package) SpecWrappers(specs []*ecl.Spec) error { return p.instrument(specs, true) }

// instrument compiles the specifications and writes wrappers for their methods. A specification
// that doesn't fit the package means that the release differs.
func (p *Package) instrument(specs []*ecl.Spec, keepNames bool) error {
	if len(specs) == 0 {
		return nil
	}
	var tables []*ecl.Table
	for _, s := range specs {
		t, err := ecl.Compile(s)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	target := &instrument.Package{
		Source: p.Source, NoDefer: noDefer[p.Path], Bare: bare[p.Path], KeepNames: keepNames,
	}
	if !keepNames {
		target.Shipped = specs
	}
	out, err := instrument.Generate(target, tables)
	if err != nil {
		return p.unexpected(err.Error())
	}
	p.Then(edit.Change{Edits: out.Edits, Added: []edit.Added{{
		Name: "commute_specs.go",
		Data: edit.WithLine("commute/specs/"+p.Path+".go", out.Added),
	}}})
	return nil
}
