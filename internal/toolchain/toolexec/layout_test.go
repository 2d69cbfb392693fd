// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/patch"
)

// shared are the engine's types, as package runtime has them, by their names in code that is
// written.
var shared = map[string]string{
	"commute_Call":        "commute_commrace_Call",
	"commute_Spec":        "commute_commrace_Spec",
	"commute_Transaction": "commute_txn_Transaction",
	"commute_Atomic":      "commute_atomicity_AtomicCode",
	"commute_Run":         "commute_section_Activation",
	"commute_Touch":       "commute_compiled_SectionTouch",
	"commute_LockSite":    "commute_compiled_LockSite",
	"commute_Paired":      "commute_compiled_SectionFunc",
	"commute_Sections":    "commute_compiled_SectionRegistration",

	"commuteSource_Registration": "commute_compiled_Registration",
}

// written is a package that has code of each kind that is written.
const written = `package a

import "sync"

//ecl:mutator Put(k), Each(f)
//ecl:observer Has(k)/v
//ecl:callback Each(f)
//ecl:default false
type Box struct {
	sync.Mutex
	n int
}

func (b *Box) Put(k int)       {}
func (b *Box) Each(f func())   {}
func (b *Box) Has(k int) bool  { return true }

var box Box

//atomic
func f() { box.Put(1) }

func g() {
	box.Lock()
	n := box.n
	box.Unlock()
	box.Lock()
	box.n = n + 1
	box.Unlock()
}
`

// signatures are those of a file's functions that belong to commute, by name, with the types of the
// engine.
func signatures(t *testing.T, text string) map[string]string {
	t.Helper()
	list := make(map[string]string)
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "commute_") {
			list[fn.Name.Name] = typesOf(fn.Type.Params) + " " + typesOf(fn.Type.Results)
		}
	}
	return list
}

// typesOf are the types of parameters or results, with the engine's names.
func typesOf(fields *ast.FieldList) string {
	var list []string
	if fields == nil {
		return "()"
	}
	for _, field := range fields.List {
		text := strings.ReplaceAll(types.ExprString(field.Type), "commute_unsafe.", "unsafe.")
		text = strings.ReplaceAll(text, "interface{}", "any")
		if name, ok := shared[strings.TrimPrefix(text, "*")]; ok {
			text = "*" + name
		}
		for range max(1, len(field.Names)) {
			list = append(list, text)
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// TestSignatures compares the functions that code which is written pulls from package runtime with
// those that the templates have there: no compiler and no linker does.
func TestSignatures(t *testing.T) {
	have := make(map[string]string)
	templates := patch.Templates()
	names, err := fs.Glob(templates, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(templates, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "//go:build ignore") {
			maps.Copy(have, signatures(t, string(text)))
		}
	}
	_, added := planned(t, written)
	compared := 0
	for _, file := range slices.Sorted(maps.Keys(added)) {
		for name, signature := range signatures(t, added[file]) {
			if !strings.Contains(added[file], "//go:linkname "+name+" runtime."+name+"\n") {
				continue
			}
			if compared++; have[name] != signature {
				t.Errorf("%s: %s is %s, and in package runtime %s", file, name, signature,
					have[name])
			}
		}
	}
	if compared < 13 {
		t.Errorf("%d functions were compared", compared)
	}
}
