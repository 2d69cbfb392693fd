// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package accessed

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// source has behind its lines what they access: R reads, W writes, A does so atomically, and M is
// an operation on a map; "?" is what has no name.
const source = `package p

import (
	"sync"
	"sync/atomic"
)

var global int // W global

type base struct{ n int }

type pair[K comparable, V any] struct {
	key K
	val V
}

type T struct {
	base
	*far
	mu     sync.Mutex
	x, y   int
	in     base
	p      *int
	s      []int
	m      map[int]int
	a      [3]int
	u      struct{ v int }
	count  atomic.Int64
	plain  int64
	f      func(int)
	i      interface{ M() }
}

type far struct{ q int }

func (t *T) simple(k int) {
	t.x = k          // W T.x
	t.x += t.y       // W T.x, R T.x, R T.y
	t.x++            // W T.x, R T.x
	k = t.n          // R base.n
	k = t.q          // R T.far, R far.q
	t.far.q = 1      // R T.far, W far.q
	t.in.n = k       // W base.n
	k = t.a[k]       // R T.a
	t.a[1] = 1       // W T.a
	t.u.v = k        // W T.u.v
	k = len(t.s)     // R T.s
	global = k       // W global
	k = k + 1        //
	t.mu.Lock()      //
	(*t).x = 1       // W T.x
	t.x =            // W T.x, R T.y
		t.y          // W T.x, R T.y
}

func (t *T) nameless(k int) {
	*t.p = 1         // R T.p, W ?
	t.s[1] = t.x     // R T.s, R T.x, W ?
	k = t.m[1]       // R T.m, R ?, M T.m
	t.f(t.x)         // R T.f, R T.x
	t.i.M()          // R T.i
	t.s = append(t.s, t.x) // W ?, R T.s, W T.s, R T.x
	t.a[2], t.x = 1, t.s[k] // W T.a, W T.x, R T.s, R ?
	t.in = base{k}   // W T.in, W ?, R ?
	for i := range t.s { // R ?, W ?, R T.s
		t.y = i      // W T.y
	}
	go t.simple(t.x) // R T.x, R ?, W ?
	p := &t.x        //
	*p = 2           // ?
	f := t.simple    // ?, R ?
	f(1)             //
}

func (t *T) atomics() {
	t.count.Add(1)              // A T.count
	atomic.AddInt64(&t.plain, 1) // A T.plain
	x := &t.plain               //
	atomic.StoreInt64(x, t.count.Load()) // A ?, A T.count
}

func locals(k int) (r int) { //
	a, b, c, d := 1, 2, 3, k    // W a, W b
	run(func() {                // ?, R ?
		a++                     // W a, R a
		c := c + a              // R a
		d := c                  //
		_ = d                   //
	})                          // ?, R ?
	go func() { a++ }()         // W a, R a
	use(&b)                     //
	var t T                     //
	t.x = d                     //
	u := new(T)                 // ?, R ?
	u.x = c                     // W T.x
	u.m[c]++                    // R T.m, R ?, W ?, M T.m
	m, n := u.m, map[int]T{}    // R T.m, R ?, W ?, M ?
	n[1] = T{x: m[c], s: []int{u.x}} // R T.x, M m, M n, R ?, W ?, M ?
	for k := range u.m {        // R T.m, R ?, W ?, M T.m
		delete(u.m, k)          // R T.m, R ?, W ?, M T.m
		clear(u.m)              // R T.m, R ?, W ?, M T.m
	}
	v := u.in                   // R T.in
	v.n = b                     // R b
	return r                    //
}

func named() (r int) {          // W r
	defer func() { r++ }()      // W r, R r, ?, R ?
	if r > 0 {                  // R r
		return 1                // R r, W r
	}
	return                      // R r, W r
}                               // R r, W r

func generic[K comparable, V any](p *pair[K, V], k K) {
	p.key = k                   // W pair.key
	run(func() { _ = p.val })   // R pair.val, ?, R ?
}

func run(f func()) { f() }

func use(*int) {}
`

// TestFind wants what each line of a source may access.
func TestFind(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "/src/p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits:  map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := config.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	table := Find(&Package{Fset: fset, Files: []*ast.File{file}, Info: info,
		Place: func(p token.Pos) string { return fmt.Sprint(fset.Position(p)) }})
	got := make(map[int]map[string]bool)
	for _, a := range table.Accesses {
		name := "?"
		if a.Name > 0 {
			name = table.Names[a.Name-1].Name
		}
		if table.Files[a.File] != "p.go" {
			t.Errorf("line %d is of file %q", a.Line, table.Files[a.File])
		}
		line := got[int(a.Line)]
		if line == nil {
			line = make(map[string]bool)
			got[int(a.Line)] = line
		}
		for i, k := range []compiled.AccessKind{compiled.Reads, compiled.Writes,
			compiled.Atomically, compiled.InMap} {
			if a.Kind&k != 0 {
				line["RWAM"[i:i+1]+" "+name] = true
			}
		}
	}
	n := 0
	for i, text := range strings.Split(source, "\n") {
		_, comment, ok := strings.Cut(text, "//")
		if !ok {
			continue
		}
		n++
		want := make(map[string]bool)
		for _, w := range strings.Split(comment, ",") {
			switch w = strings.TrimSpace(w); w {
			case "":
			case "?":
				want["W ?"] = true
			default:
				want[w] = true
			}
		}
		delete(got[i+1], "")
		named := false
		for w := range want {
			named = named || !strings.HasSuffix(w, "?")
		}
		if !named {
			want = map[string]bool{} // what has no name alone is left out
		}
		if fmt.Sprint(got[i+1]) != fmt.Sprint(want) && len(got[i+1])+len(want) > 0 {
			t.Errorf("%s\n\taccesses %v, want %v", text, got[i+1], want)
		}
	}
	if n < 50 {
		t.Errorf("%d lines", n)
	}
}
