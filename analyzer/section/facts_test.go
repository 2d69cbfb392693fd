// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
)

// A build checks packages of one file each, one after the other.
type packages struct {
	fset   *token.FileSet
	std    types.Importer
	loaded map[string]*types.Package
	facts  map[string][]byte
}

func (b *packages) Import(path string) (*types.Package, error) {
	if pkg := b.loaded[path]; pkg != nil {
		return pkg, nil
	}
	if path == "sync" {
		return b.std.Import(path)
	}
	return nil, errors.New("no " + path)
}

// add type-checks a package and finds its pairs.
func (b *packages) add(t *testing.T, path, text string) *Result {
	t.Helper()
	file, err := parser.ParseFile(b.fset, path+".go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := load.NewInfo()
	conf := types.Config{Importer: b}
	pkg, err := conf.Check(path, b.fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	b.loaded[path] = pkg
	r := Find(load.Checked(b.fset, []*ast.File{file}, pkg, info),
		func(path string) []byte { return b.facts[path] })
	b.facts[path] = r.Facts
	return r
}

const storeSource = `package store

import "sync"

type Store[V any] struct {
	mu sync.Mutex
	m  map[string]V
	n  int
}

func (s *Store[V]) Get(k string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[k]
	return v, ok
}

func (s *Store[V]) Used(k string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[k]
	return v, ok && s.n > 0
}

func (s *Store[V]) Put(k string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

func (s *Store[V]) PutNew(k string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.m[k]; !ok {
		s.m[k] = v
	}
}
`

// TestFacts has a type with a lock in one package, a function that composes its methods in a second
// one, and what composes that in a third.
func TestFacts(t *testing.T) {
	fset := token.NewFileSet()
	b := &packages{fset, importer.ForCompiler(fset, "gc", nil), make(map[string]*types.Package),
		make(map[string][]byte)}
	store := b.add(t, "store", storeSource)
	if len(store.Funcs) > 0 || len(store.Touches) != 5 || len(store.Locks) != 4 ||
		store.Facts == nil {
		t.Errorf("store: %+v", store)
	}
	for _, l := range store.Locks {
		if !l.Complete {
			t.Errorf("%v is not complete", fset.Position(l.Call.Pos()))
		}
	}
	user := b.add(t, "user", `package user

import "store"

var All = new(store.Store[int])

func Raise(k string) {
	v, _ := All.Get(k)
	All.Put(k, v+1)
}

func Add(s *store.Store[int], k string) {
	if _, ok := s.Get(k); !ok {
		s.PutNew(k, 1)
	}
}

func Value(s *store.Store[int], k string) int {
	v, _ := s.Get(k)
	return v
}

func Find(s *store.Store[int], k string) (v int, found bool) { return s.Get(k) }

func Count(s *store.Store[int], k string) {
	if v, ok := s.Get(k); ok {
		s.Put(k, v+1)
	} else {
		s.Put(k, 1)
	}
}

func CountUsed(s *store.Store[int], k string) {
	if v, ok := s.Used(k); ok {
		s.Put(k, v+1)
	} else {
		s.Put(k, 1)
	}
}

func Other(s *store.Store[int], k, j string) {
	v, _ := s.Get(k)
	s.Put(j, v)
}
`)
	want := []string{"Raise: Store.m Store.m lost update", "Count: Store.m Store.m lost update",
		"CountUsed: Store.m Store.m created"}
	if got := remotePairs(user); !slices.Equal(got, want) {
		t.Errorf("user: %q, want %q", got, want)
	}
	third := b.add(t, "third", `package third

import (
	"store"
	"user"
)

func Twice(s *store.Store[int], k string) { s.Put(k, user.Value(s, k)*2) }

func Count(s *store.Store[int], k string) {
	if v, ok := user.Find(s, k); ok {
		s.Put(k, v+1)
	} else {
		s.Put(k, 1)
	}
}
`)
	want = []string{"Twice: Store.m Store.m lost update", "Count: Store.m Store.m lost update"}
	if got := remotePairs(third); !slices.Equal(got, want) {
		t.Errorf("third: %q, want %q", got, want)
	}
	for _, r := range []*Result{user, third} {
		for _, touch := range r.Touches {
			if r := touch.Remote; r == nil || r.Package != "store" || r.Count != 5 ||
				store.Touches[r.Index].Op != touch.Op ||
				store.Touches[r.Index].Point != touch.Point {
				t.Errorf("%+v is not one of store's", touch)
			}
		}
	}
}

// remotePairs are pairs by the names of what they touch.
func remotePairs(r *Result) (list []string) {
	for _, f := range r.Funcs {
		for _, p := range f.Pairs {
			list = append(list, fmt.Sprintf("%s: %s %s %s", f.Node.(*ast.FuncDecl).Name.Name,
				r.Touches[p.Check].Name, r.Touches[p.Act].Name, shapes[p.Shape]))
		}
	}
	return list
}
