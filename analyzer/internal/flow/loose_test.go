// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

const termSource = `package p

func sink(...any)

func get(k string) *int

func F(m map[string]int, k, j string) {
	same1, same2 := get(k), get(k)
	other1, other2 := get(k), get(j)
	looked1, looked2 := m[k], m[k]
	sink(same1, same2)
	sink(other1, other2)
	sink(looked1, looked2)
	once, twice := get(k), get(j)
	if k == j {
		twice = get(k)
	}
	func() {
		sink(once, get(k))
		sink(twice, get(k))
	}()
}
`

// TestLoose compares the terms of the arguments of each call of sink.
func TestLoose(t *testing.T) {
	for loose, want := range map[bool][]bool{
		false: {false, false, false, false, false},
		true:  {true, false, true, true, false},
	} {
		p := program(t, termSource)
		p.Loose = loose
		var got []bool
		for _, f := range p.Functions {
			f.Each(func(instr ssa.Instruction) {
				if args := sunk(instr); args != nil {
					got = append(got, p.Term(args[0]).Text == p.Term(args[1]).Text)
				}
			})
		}
		if len(got) != len(want) {
			t.Fatalf("%d calls", len(got))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("loose %v: call %d has equal terms: %v", loose, i, got[i])
			}
		}
	}
}

// TestReplace replaces a parameter in a term, and leaves others that begin with the same digits.
func TestReplace(t *testing.T) {
	p := program(t, "package p\n\nfunc F(a, b, c, d, e, f, g, h, i, j, k, l []int) {}\n")
	params := p.Functions[0].Params
	text := ""
	for _, v := range params {
		text += p.Term(v).Text + "."
	}
	got := p.Replace(text+" 7", func(v ssa.Value) (string, bool) { return "x", v == params[1] })
	if want := "#0.x.#2.#3.#4.#5.#6.#7.#8.#9.#10.#11. 7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// program is the SSA form of a package of one file.
func program(t *testing.T, text string) *Program {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := load.NewInfo()
	conf := types.Config{Error: func(error) {}} // functions without a body
	pkg, _ := conf.Check("p", fset, []*ast.File{file}, info)
	p, err := Build(load.Checked(fset, []*ast.File{file}, pkg, info))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sunk are the values that a call of sink gets, nil for other instructions.
func sunk(instr ssa.Instruction) (args []ssa.Value) {
	call, ok := instr.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != "sink" {
		return nil
	}
	array := call.Call.Args[0].(*ssa.Slice).X
	for _, use := range *array.Referrers() {
		if addr, ok := use.(*ssa.IndexAddr); ok {
			for _, use := range *addr.Referrers() {
				if store, ok := use.(*ssa.Store); ok {
					args = append(args, store.Val.(*ssa.MakeInterface).X)
				}
			}
		}
	}
	return args
}
