// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"path/filepath"

	"github.com/commutego/commute/analyzer/instrument"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// quiet are the methods of sync.Map that do nothing but what their keys can't prevent. (Those that
// compare values may panic.)
var quiet = map[string]map[string]bool{
	"sync": {"Load": true, "Store": true, "LoadOrStore": true, "LoadAndDelete": true, "Delete": true, "Swap": true},
}

// Specs makes the calls of the methods that specs speak of known to the engine.
// Positions in methods stay, since only names are edited.
func (p *Package) Specs(specs []*ecl.Spec) error {
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
	target := &instrument.Package{Path: p.Path, Fset: p.fset, Quiet: quiet[p.Path]}
	var files []*parsed
	for _, path := range p.Files {
		f, err := p.parse(filepath.Base(path))
		if err != nil {
			return err
		}
		files = append(files, f)
		target.Files = append(target.Files, instrument.File{Name: path, Src: f.data, AST: f.syntax})
	}
	out, err := instrument.Generate(target, tables)
	if err != nil {
		return p.unexpected(err.Error())
	}
	for _, e := range out.Edits {
		f := files[e.Index]
		f.edits = append(f.edits, edit.Edit{Start: e.Offset, End: e.End, Text: e.New})
	}
	for _, f := range files {
		if len(f.edits) == 0 {
			continue
		}
		if p.Changed[f.path] != nil {
			return fmt.Errorf("two changes of %s", f.path) // of ours, so a defect
		}
		if err := f.done(); err != nil {
			return err
		}
	}
	p.Added = append(p.Added, Added{
		Name: "commute_specs.go",
		Data: edit.WithLine("commute/specs/"+p.Path+".go", out.Added),
	})
	return nil
}
