// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
)

// methodSource has a type, to which each case adds a method M.
const methodSource = `package p

import (
	"container/list"
	"errors"
	"sync"
	"sync/atomic"
)

type T struct {
	mu    sync.Mutex
	cond  *sync.Cond
	m     map[string]int
	nodes map[string]*node
	order *list.List
	first *node
	n     int
	hits  atomic.Int64
	store interface{ Put() }
}

type node struct {
	next  *node
	value int
}

var errThere = errors.New("there")

func (t *T) find(k string) *node {
	n := t.nodes[k]
	if n == nil {
		n = new(node)
		t.nodes[k] = n
	}
	return n
}

func (t *T) remove(k string) bool {
	_, ok := t.m[k]
	delete(t.m, k)
	return ok
}

func (t *T) other() {
	t.n++
	t.hits.Add(1)
	t.first, t.order, t.cond, t.store = nil, nil, nil, nil
	t.first.next, t.first.value = nil, 0
}

var _ = list.New
`

// TestMethods compares what is said of methods: r and w of points, with their keys, and then
// conditions and the rest.
func TestMethods(t *testing.T) {
	for text, want := range map[string]string{
		`M(k string) int { t.mu.Lock(); defer t.mu.Unlock(); return t.m[k] }`: "r m[0]",
		`M(a, k string) { t.mu.Lock(); t.m[k]++; t.mu.Unlock() }`:             "+ m[1], + len m",
		`M() int { t.mu.Lock(); defer t.mu.Unlock(); return len(t.m) }`:       "r len m",
		`M() { t.mu.Lock(); defer t.mu.Unlock(); clear(t.m) }`:                "w m[], w len m",
		`M(k string) { t.mu.Lock(); t.m[k+"x"] = 1; t.mu.Unlock() }`:          "w m[], + len m",
		`M(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.m[k]; ok {
		return false
	}
	t.m[k] = 1
	return true
}`: "r m[0], w m[0], + len m, idle if result 0 is false, arbiter",
		`M(k string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m[k] != 0 {
		return errThere
	}
	t.m[k] = 1
	return nil
}`: "r m[0], w m[0], + len m, idle if result 0 is not nil, arbiter",
		`M(k string) (n int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok = t.m[k]
	if ok {
		t.m[k] = 0
	}
	return
}`: "r m[0], w m[0], + len m, idle if result 1 is false, arbiter",
		`M(k string) (gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.remove(k)
}`: "r m[0], w m[0], + len m, idle if result 0 is false, arbiter",
		`M(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = 1
	return true
}`: "w m[0], + len m",
		`M(k string) { t.mu.Lock(); t.find(k).value++; t.mu.Unlock() }`: "r nodes[0], " +
			"w nodes[0], + len nodes, + value[0]",
		`M() int { t.mu.Lock(); defer t.mu.Unlock(); return t.first.next.value }`: "r first, order",
		`M(e *list.Element) { t.mu.Lock(); t.order.MoveToFront(e); t.mu.Unlock() }`: "r order, " +
			"order, w order",
		`M(k string) int {
	t.mu.Lock()
	n := t.m[k]
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return n + t.m[k]
}`: "r m[0], 2 sections",
		`M() { t.mu.Lock(); for t.n == 0 { t.cond.Wait() }; t.mu.Unlock() }`: "r cond, r n, " +
			"2 sections, waits for a sync.Cond",
		`M() { t.mu.Lock(); t.store.Put(); t.mu.Unlock() }`: "r store, " +
			"it calls a method of interface{Put()}, an interface",
		`M() { t.mu.Lock(); t.hits.Add(1); t.mu.Unlock() }`:        "+ hits",
		`M(k string) { t.m[k] = 1 }`:                               "w m[0], + len m, no lock",
		`M() { t.mu.Lock(); x := new(T); x.n = 1; t.mu.Unlock() }`: "",
	} {
		if got := describe(t, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// describe says what is said of a method.
func describe(t *testing.T, method string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", methodSource+"\nfunc (t *T) "+method+"\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	info := load.NewInfo()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Methods(load.Checked(fset, []*ast.File{file}, pkg, info), "T")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(m Method) bool { return m.Name == "M" })
	m := list[i]
	var parts []string
	for _, p := range m.Points {
		_, name, _ := strings.Cut(p.Var, ".")
		_, name, _ = strings.Cut(name, ".")
		text := map[bool]string{false: "r ", true: "w "}[p.Write]
		if p.Sum {
			text = "+ "
		}
		switch {
		case p.Kind == Length:
			text += "len " + name
		case p.Kind == Whole:
			text += name
		case p.Key < 0:
			text += name + "[]"
		default:
			text += fmt.Sprintf("%s[%d]", name, p.Key)
		}
		parts = append(parts, text)
	}
	for _, c := range m.NoWrite {
		is := map[[2]bool]string{{false, false}: "is false", {false, true}: "is true",
			{true, false}: "is not nil", {true, true}: "is nil"}[[2]bool{c.Nil, c.Truth}]
		parts = append(parts, fmt.Sprintf("idle if result %d %s", c.Result, is))
	}
	for text, is := range map[string]bool{"arbiter": m.Arbiter, "2 sections": m.Sections > 1} {
		if is {
			parts = append(parts, text)
		}
	}
	if m.Order {
		parts = append(parts, "order")
	}
	if m.Writes {
		parts = append(parts, "w order")
	}
	if m.Waits != "" {
		parts = append(parts, "waits for "+m.Waits)
	}
	if m.Unknown != "" {
		parts = append(parts, m.Unknown)
	}
	if !m.Locked && len(m.Points) > 0 {
		parts = append(parts, "no lock")
	}
	return strings.Join(parts, ", ")
}
