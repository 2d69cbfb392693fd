// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// jumps is a function of n labels that jumps about at random.
func jumps(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString("package p\nfunc f(c []bool) {\ngoto L0\n")
	for i := range n {
		fmt.Fprintf(&b, "L%d:\n\tprintln(%[1]d)\n", i)
		for range r.IntN(3) {
			fmt.Fprintf(&b, "\tif c[%d] { goto L%d }\n", i, r.IntN(n))
		}
		switch r.IntN(6) {
		case 0:
			b.WriteString("\treturn\n")
		case 1:
			fmt.Fprintf(&b, "\tgoto L%d\n", r.IntN(n))
		}
	}
	for i := range n { // each label is used
		fmt.Fprintf(&b, "\tif len(c) == %d { goto L%d }\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// gets reports whether one block is another, or leads there by steps that a condition allows.
func gets(from, to *ssa.BasicBlock, allows func(from, to *ssa.BasicBlock) bool) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] && allows(b, s) && walk(s) {
				return true
			}
		}
		return false
	}
	return walk(from)
}

// TestControl compares control dependences with what their definition says, word for word, of
// random graphs.
func TestControl(t *testing.T) {
	compared := 0
	for run := range 150 {
		r := rand.New(rand.NewPCG(2, uint64(run)))
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", jumps(r, 2+r.IntN(7)), 0)
		if err != nil {
			t.Fatal(err)
		}
		info := load.NewInfo()
		pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, info)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(load.Checked(fset, []*ast.File{file}, pkg, info))
		if err != nil {
			t.Fatal(err)
		}
		f := p.Functions[0]
		f.Flow()
		anywhere := func(_, _ *ssa.BasicBlock) bool { return true }
		forth := func(from, to *ssa.BasicBlock) bool { // not round a loop
			around := func(_, next *ssa.BasicBlock) bool { return next != to }
			return to != f.Blocks[0] && from != to && gets(f.Blocks[0], from, around)
		}
		ends := func(b *ssa.BasicBlock, without *ssa.BasicBlock) bool {
			for _, end := range f.Blocks {
				if b != without && end != without && len(end.Succs) == 0 &&
					gets(b, end, func(_, next *ssa.BasicBlock) bool { return next != without }) {
					return true
				}
			}
			return false
		}
		endless := false
		for _, b := range f.Blocks {
			endless = endless || !ends(b, nil)
		}
		if endless {
			continue // no block is on each way to the end
		}
		// a is on each way from b to the end
		after := func(a, b *ssa.BasicBlock) bool { return a == b || !ends(b, a) }
		decides := func(b, a *ssa.BasicBlock) bool {
			for _, s := range b.Succs {
				if len(b.Succs) > 1 && forth(b, s) && gets(s, a, forth) && after(a, s) &&
					!(a != b && after(a, b)) {
					return true
				}
			}
			return false
		}
		for _, a := range f.Blocks {
			for _, b := range f.Blocks {
				want := closure(f.Blocks, decides, b, a)
				if got := f.controls[a.Index].Bit(b.Index) != 0; got != want {
					t.Fatalf("run %d: block %d decides about block %d: %v, want %v", run, b.Index,
						a.Index, got, want)
				}
				if got, want := f.forward[b.Index].Bit(a.Index) != 0, gets(b, a,
					forth); got != want {
					t.Fatalf("run %d: block %d leads forth to %d: %v, want %v", run, b.Index,
						a.Index, got, want)
				}
				reach := false
				for _, s := range b.Succs {
					reach = reach || gets(s, a, anywhere)
				}
				if got := f.reach[b.Index].Bit(a.Index) != 0; got != reach {
					t.Fatalf("run %d: block %d leads to %d: %v, want %v", run, b.Index, a.Index,
						got, reach)
				}
				compared++
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d pairs of blocks", compared)
	}
}

// closure reports whether b decides about a, directly or by others.
func closure(blocks []*ssa.BasicBlock, decides func(b, a *ssa.BasicBlock) bool, b,
	a *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var walk func(a *ssa.BasicBlock) bool
	walk = func(a *ssa.BasicBlock) bool {
		if decides(b, a) {
			return true
		}
		seen[a] = true
		for _, c := range blocks {
			if !seen[c] && decides(c, a) && walk(c) {
				return true
			}
		}
		return false
	}
	return walk(a)
}
