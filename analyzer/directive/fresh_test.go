// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const freshSource = `package p

import "sync"

type inner struct{ mu sync.Mutex }

type T struct {
	mu   sync.Mutex
	n    int
	far  *inner
	near inner
	p    *sync.Mutex
	f    func()
}

type E struct{ sync.RWMutex }

type P struct{ *sync.Mutex }

var list []*T

func use(*T) {}

func (t *T) method() {}

func ways(p *sync.Mutex, given *T) {
	a := &T{n: 1, p: p}
	a.mu.Lock() // fresh
	a.p.Lock()
	a.far.mu.Lock()
	a.near.mu.Lock()
	b := new(T)
	b.n, b.far = 2, new(inner)
	if b.n > 1 {
		b.mu.TryLock() // fresh
	}
	var c T
	c.mu.Lock() // fresh
	d := E{}
	d.RLock() // fresh
	e := P{p}
	e.Lock()
	given.mu.Lock()
	var mu sync.Mutex
	mu.Lock() // fresh
	var f = &T{}
	switch f.mu.Lock(); { // fresh
	case f.n > 0:
		g := &T{}
		g.mu.Lock() // fresh
		f.mu.Lock() // fresh
	}
}

func known(m map[int]*T, c chan *T) {
	a := &T{}
	list = append(list, a)
	a.mu.Lock()
	b := &T{}
	use(b)
	b.mu.Lock()
	d := &T{}
	d.method()
	d.mu.Lock()
	e := &T{}
	go func() { e.n++ }()
	e.mu.Lock()
	f := &T{}
	c <- f
	f.mu.Lock()
	g := &T{}
	p := &g.n
	g.mu.Lock()
	h := &T{}
	h = m[0]
	h.mu.Lock()
	i := m[1]
	i.mu.Lock()
	j := &T{}
	j.f = func() { j.mu.Lock() }
	j.mu.Lock()
	*p++
}

func again() {
	a := &T{}
	for range 2 {
		a.mu.Lock()
		b := &T{}
		b.mu.Lock() // fresh
		list = append(list, a, b)
	}
	c := &T{}
more:
	c.mu.Lock()
	list = append(list, c)
	if len(list) < 9 {
		goto more
	}
	d := &T{}
	go d.mu.Lock()
	e := &T{}
	defer e.mu.Lock()
	f := &T{}
	func() { f.mu.Lock() }()
}

func label() {
	c := &T{}
more:
	c.n++
	c.mu.Lock()
	use(c)
	goto more
}
`

// TestFresh compares the lines of the calls that are fresh with those that say so.
func TestFresh(t *testing.T) {
	fset, file, info, pkg := load(t, "fresh.go", freshSource)
	var want []int
	for i, line := range strings.Split(freshSource, "\n") {
		if strings.HasSuffix(line, "// fresh") {
			want = append(want, i+1)
		}
	}
	locks := []string{"Lock", "TryLock", "RLock"}
	finder := &Finder{Types: []Type{{Package: "sync", Name: "Mutex", Methods: locks},
		{Package: "sync", Name: "RWMutex", Methods: locks}}, Info: info, Pkg: pkg}
	files := []*ast.File{file}
	sites := finder.Sites(files)
	fresh := Fresh(info, files, sites)
	var got []int
	for _, s := range sites {
		if fresh[s.Call] {
			got = append(got, fset.Position(s.Call.Pos()).Line)
		}
	}
	if len(sites) < 30 || !slices.Equal(got, want) {
		t.Errorf("%d sites; got %v, want %v", len(sites), got, want)
	}
}
