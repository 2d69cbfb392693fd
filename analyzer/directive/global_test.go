// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

const globalsSource = `package p

import (
	"expvar"
	"sync"
	_ "unsafe"
)

type (
	Alias  = sync.Map
	Own    sync.Map
	Inner  struct{ m sync.Map }
	Embeds struct{ Inner }
	Box[T any] struct{ v T }
	Ptr    struct{ m *sync.Map }
	Loop   struct{ next *Loop; l []Loop; m sync.Map }
)

var plain sync.Map
var alias Alias
var inner, second Inner
var (
	embeds Embeds
	array  [3][2]sync.Map
	anon   struct{ a int; b Inner }
	value  = Inner{}
	call   = makeInner()
	box    Box[Inner]
	loop   Loop
	far    expvar.Map
)

func makeInner() (i Inner) { return }

var _ sync.Map
var own Own
var pointer = new(sync.Map)
var address = &Inner{}
var ptr Ptr
var m map[string]sync.Map
var slice []sync.Map
var none [0]sync.Map
var intBox Box[int]
var f func() sync.Map
var i interface{ Load(any) (any, bool) }
var mu sync.Mutex
var wrong undefined

//go:linkname linked other.linked
var linked sync.Map

var later sync.Map
//go:linkname later

//go:embed x.txt
var embedded Inner

var (
	//go:embed x.txt
	grouped Inner
)

func local() { var inside sync.Map; inside.Load(1) }
`

func TestGlobals(t *testing.T) {
	fset, file, info, pkg := load(t, "/src/p/p.go", globalsSource)
	f := &Finder{Types: []Type{{Package: "sync", Name: "Map", Methods: []string{"Load"}}},
		Info: info, Pkg: pkg}
	var got []string
	for _, g := range f.Globals(fset, []*ast.File{file}) {
		got = append(got, g.Name)
		if v := pkg.Scope().Lookup(g.Name); v == nil || v.Pos() != g.Pos {
			t.Errorf("%s is not at %s", g.Name, fset.Position(g.Pos))
		}
	}
	want := "plain alias inner second embeds array anon value call box loop far"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestGlobalsOfCgo has a file that cgo generates.
func TestGlobalsOfCgo(t *testing.T) {
	fset, file, info, pkg := load(t, "/work/_cgo_gotypes.go",
		"package p\n\nimport \"sync\"\n\nvar m sync.Map\n")
	f := &Finder{Types: []Type{{Package: "sync", Name: "Map"}}, Info: info, Pkg: pkg}
	if got := f.Globals(fset, []*ast.File{file}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestGlobalsNeeded(t *testing.T) {
	const imports = "import (\n\"errors\"\n\"sync\"\n\"example.com/lib\"\n" +
		". \"example.com/dot\"\nr \"example.com/lib/v3\"\n)\n"
	watched := []Type{{Package: "sync", Name: "Map"}}
	for src, want := range map[string]bool{
		"var m sync.Map":                               true,
		"var m [2]sync.Map":                            true,
		"var s struct{ a int; sync.Map }":              true,
		"type T struct{ m sync.Map }\nvar t T":         true,
		"type A = B; type B struct { lib.T }; var a A": true,
		"var s lib.Server":                             true,
		"var s = lib.Server{}":                         true,
		"var s = r.Server{}":                           true,
		"var s = unknown.Server{}":                     true,
		"var s Server":                                 true, // of the dot import
		"var s = other":                                true,
		"type T struct{ m sync.Map }; func f() T { panic(1) }; var t = f()": true,
		"type T[X any] struct{ m sync.Map }; func f[X any]() T[X] { panic(1) }; " +
			"var t = f[int]()": true,
		"type T[X any] struct{ x X }; var t T[sync.Map]":         true,
		"type T[X, Y any] struct{ x X }; var t T[int, sync.Map]": true,
		"":                                             false,
		"var _ sync.Map":                               false,
		"var mu sync.Mutex":                            false,
		"var p *sync.Map":                              false,
		"var p = &lib.Server{}":                        false,
		"var p = new(sync.Map)":                        false,
		"var m = make(map[int]lib.Server)":             false,
		"var m = map[int]lib.Server{}":                 false,
		"var s = []lib.Server{}":                       false,
		"var e = errors.New(\"e\")":                    false,
		"var n, s = 1, \"s\"":                          false,
		"var t = true":                                 false,
		"var f = func() { var m sync.Map }":            false,
		"var x, y int; type T struct{ t *T }; var t T": false,
		"type T struct{ t T }; var t T":                false, // doesn't compile
		"const c = 1; func f() { var m sync.Map }":     false,
		"//go:linkname m\nvar m sync.Map":              false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+imports+src,
			parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if got := GlobalsNeeded(watched, []*ast.File{file}); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}
