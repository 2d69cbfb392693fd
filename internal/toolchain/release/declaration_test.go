// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	"go/format"
	"slices"
	"testing"
)

const source = `// Package p is documented.
package p

import "unsafe"

// A T is a type.
type T struct {
	a, b int // two
	*E
	c    struct{ d int }
}

type (
	N int
	I interface{ M() }
	G[K any] struct{ k K }
)

const (
	X = iota + 1
	Y
	_
)

var v, w = 1, 2

// F does something.
//
//go:nosplit
func F(x int) (y int) {
	if x > 0 {
		return x
	}
	return g(
		x,
		unsafe.Sizeof(x),
	)
}

func (t *T) M() {}
func (n N) M()  {}
func (g *G[K]) M() {}
func init()    {}
func init()    {}
`

func declarations_(t *testing.T, src string) map[string]Declaration {
	t.Helper()
	found, err := Declarations([]byte(src))
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	return found
}

func TestDeclarations(t *testing.T) {
	want := map[string]int{
		WholeFile: 2, "T": 7, "T.a": 8, "T.b": 8, "T.E": 9, "T.c": 10, "N": 14, "I": 15, "G": 16,
		"G.k": 16, "X": 20, "Y": 20,
		"v": 25, "w": 25, "F": 30, "(*T).M": 40, "N.M": 41, "(*G).M": 42,
	}
	found := declarations_(t, source)
	for name, d := range found {
		if want[name] != d.Line || len(d.Hash) != 16 {
			t.Errorf("%s: line %d, hash %q, want line %d", name, d.Line, d.Hash, want[name])
		}
	}
	for name := range want {
		if _, ok := found[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
}

// TestHash changes the source in ways that count for some declarations, and in ways that count for
// none.
func TestHash(t *testing.T) {
	formatted, err := format.Source([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, old, new string
		differ         []string
	}{
		{"comments", "// F does something.\n//\n", "", nil},
		{"a comment in a body", "if x > 0 {", "if x > 0 { // often\n/* very */", nil},
		{"an empty line", "\treturn g(\n", "\n\n\treturn g(\n", nil},
		{"one line", "g(\n\t\tx,\n\t\tunsafe.Sizeof(x),\n\t)", "g(x, unsafe.Sizeof(x))", nil},
		{"one line of a block", "{\n\t\treturn x\n\t}", "{ return x }", nil},
		{"columns", "a, b int", "a,   b    int", nil},
		{"order", "func (t *T) M() {}\nfunc (n N) M()  {}\n",
			"func (n N) M()  {}\nfunc (t *T) M() {}\n", []string{WholeFile}},
		{"a body", "x > 0", "x >= 0", []string{WholeFile, "F"}},
		{"a literal", "iota + 1", "iota + 2", []string{WholeFile, "X", "Y"}},
		{"an argument", "Sizeof(x)", "Sizeof(y)", []string{WholeFile, "F"}},
		{"a directive", "//go:nosplit\n", "//go:noinline\n", []string{"F"}},
		{"a field's type", "a, b int", "a, b uint", []string{WholeFile, "T", "T.a", "T.b"}},
		{"another field", "a, b int", "a, b int; z int", []string{WholeFile, "T"}},
		{"a constant before", "\tX = iota", "\tW = 0\n\tX = iota", []string{WholeFile, "X", "Y"}},
		{"a receiver", "(n N) M() ", "(n N) M(int) ", []string{WholeFile, "N.M"}},
		{"two for one", "return x\n", "return x; x++\n", []string{WholeFile, "F"}},
	}
	before := declarations_(t, string(formatted))
	for _, base := range []string{source, string(formatted)} {
		for name, d := range declarations_(t, base) {
			if before[name].Hash != d.Hash {
				t.Errorf("%s depends on gofmt", name)
			}
		}
	}
	for _, test := range tests {
		changed := replaceOnce(t, source, test.old, test.new)
		var differ []string
		after := declarations_(t, changed)
		for name, d := range before {
			if after[name].Hash != d.Hash {
				differ = append(differ, name)
			}
		}
		slices.Sort(differ)
		if !slices.Equal(differ, test.differ) {
			t.Errorf("%s: %v differ, want %v", test.name, differ, test.differ)
		}
	}
}
