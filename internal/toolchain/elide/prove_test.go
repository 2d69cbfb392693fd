// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProofs holds what is proven of random programs against runs of them.
func TestProofs(t *testing.T) {
	programs := 20000
	if testing.Short() {
		programs = 2000
	}
	proven, constant, own := 0, 0, 0
	for seed := range programs {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		program := randomProgram(r)
		repeats := proofs(t, program, pick(r, 0, 1, 2, maxPasses, maxPasses, maxPasses))
		proven += len(repeats)
		if len(repeats) == 0 {
			continue
		}
		for range 4 {
			m := newMachine(r, program)
			if err := m.run(program, repeats); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, show(program))
			}
			constant += m.constant
			own += m.own
		}
	}
	t.Logf("%d programs, %d calls left out; in runs, %d of constants and %d of the stack", programs,
		proven, constant, own)
	if proven < programs/3 || constant < programs/10 || own < programs/1000 {
		t.Errorf("only %d calls were left out in %d programs", proven, programs)
	}
}

// proofs are the numbers of a program's ops that are repeats, after some passes at most.
func proofs(t *testing.T, program []op, passes int) map[int]bool {
	t.Helper()
	f, places := assemble(program)
	fl, ok := decode(&f)
	if !ok {
		t.Fatalf("can't be decoded: % x\n%s", f.code, show(program))
	}
	repeats := make(map[int]bool)
	for _, at := range prove(&f, fl, testCallees, passes) {
		n, ok := slices.BinarySearch(places, at)
		if !ok {
			t.Fatalf("no op is at %d\n%s", at, show(program))
		}
		repeats[n] = true
	}
	return repeats
}

// generic is a program that is given a dictionary, and keeps its address.
func generic(program ...op) []op {
	return append([]op{{name: "push"}, {name: "subsp", n: home - 16},
		{name: "store", b: regAX, n: home}}, program...)
}

const home = 32 // where generic keeps it

// TestExamples has programs with what is to be found in them.
func TestExamples(t *testing.T) {
	load := func(slot int64) op { return op{name: "load", a: regAX, n: slot} }
	size := func(n int64) op { return op{name: "movimm", a: regBX, n: n} }
	read, write := op{name: "read"}, op{name: "write"}
	readRange, writeRange := op{name: "readrange"}, op{name: "writerange"}
	field := op{name: "addimm", a: regAX, n: 8}
	ret := op{name: "ret"}
	for _, test := range []struct {
		name    string
		program []op
		want    []int
	}{
		{"read again", []op{load(16), read, load(16), read, ret}, []int{3}},
		{"write again", []op{load(16), write, load(16), write, ret}, []int{3}},
		{"read after write", []op{load(16), write, load(16), read, ret}, []int{3}},
		{"write after read", []op{load(16), read, load(16), write, ret}, nil},
		{"another slot", []op{load(16), read, load(24), read, ret}, nil},
		{"argument", []op{load(8), read, load(8), read, ret}, nil},
		{"call", []op{load(16), read, {name: "call"}, load(16), read, ret}, nil},
		{"barrier", []op{load(16), read, {name: "barrier"}, load(16), read, ret}, []int{4}},
		{"lock", []op{load(16), read, {name: "xadd", a: 1, b: 2}, load(16), read, ret}, nil},
		{"stored", []op{load(16), read, {name: "store", b: 1, n: 16}, load(16), read, ret}, nil},
		{"stored half", []op{load(16), read, {name: "store4", b: 1, n: 20}, load(16), read, ret},
			nil},
		{"stored elsewhere", []op{load(16), read, {name: "storeheap", a: 1, b: 2}, load(16), read,
			ret}, []int{4}},
		{"taken", []op{{name: "leaslot", a: 2, n: 16}, load(16), read,
			{name: "storeheap", a: 1, b: 2}, load(16), read, ret}, nil},
		{"taken above", []op{{name: "leaslot", a: 2, n: 24}, load(16), read,
			{name: "storeheap", a: 1, b: 2}, load(16), read, ret}, []int{5}},
		{"field of a range", []op{load(16), size(16), readRange, load(16), field, read, ret},
			[]int{5}},
		{"range of fields", []op{load(16), size(8), readRange, load(16), field, size(8), readRange,
			load(16), size(16), readRange, ret}, []int{9}},
		{"range too long", []op{load(16), size(8), readRange, load(16), size(9), readRange, ret},
			nil},
		{"write of a range read", []op{load(16), size(8), readRange, load(16), size(8), writeRange,
			ret}, nil},
		{"one way", []op{load(16), {name: "jl", n: 3}, read, load(16), read, ret}, nil},
		{"both ways", []op{load(16), {name: "jl", n: 4}, read, {name: "jmp", n: 6}, load(16), read,
			load(16), read, ret}, []int{7}},
		{"before a loop", []op{load(16), read, load(16), read, {name: "jl", n: 2}, ret}, []int{3}},
		{"in a loop", []op{load(16), read, {name: "jl", n: 0}, ret}, nil},
		{"changed in a loop", []op{load(16), read, load(16), read, {name: "addslot", n: 16, b: 1},
			{name: "jl", n: 2}, ret}, nil},
		{"call in a loop", []op{load(16), read, load(16), read, {name: "call"},
			{name: "jl", n: 2}, ret}, nil},
		{"a condition", []op{
			{name: "jl", n: 3}, {name: "xor4", a: 1, b: 1}, {name: "jmp", n: 6},
			load(16), read, {name: "setcc", a: 1},
			{name: "test1", a: 1}, {name: "je", n: 10}, load(16), read, ret}, []int{9}},
		// The test is passed twice before the last read, with another value in the slot.
		{"a condition in a loop", []op{
			{name: "xor4", a: 1, b: 1}, {name: "loadheap", a: 6, b: 2},
			{name: "store", b: 6, n: 16}, {name: "test", a: 1}, {name: "jne", n: 9},
			load(16), read, {name: "setcc", a: 1}, {name: "jmp", n: 1}, load(16), read, ret}, nil},
		{"other halves", []op{load(16), {name: "mov4", a: 0, b: 0}, read, load(16),
			{name: "movsxd", a: 0, b: 0}, read, load(16), read, ret}, nil},
		{"half sums", []op{{name: "load", a: 1, n: 16}, {name: "load", a: 0, n: 24},
			{name: "add", a: 0, b: 1}, read, {name: "load", a: 1, n: 16},
			{name: "load", a: 0, n: 24}, {name: "add4", a: 0, b: 1}, read, ret}, nil},
		{"the stack", []op{{name: "leaslot", a: regAX, n: 16}, write, ret}, []int{1}},
		{"below the stack", []op{{name: "leaslot", a: regAX, n: -16}, write, ret}, nil},
		{"from the stack", []op{{name: "leaslot", a: 1, n: 16}, {name: "loadheap", a: regAX, b: 1},
			read, ret}, nil},
		{"a dictionary", generic(load(home), read, ret), []int{4}},
		{"a dictionary in a register", generic(read, ret), []int{3}},
		{"a dictionary that is written", generic(load(home), write, ret), nil},
		{"a part of one", generic(load(home), field, read, ret), []int{5}},
		{"before one", generic(load(home), op{name: "subimm", a: regAX, n: 8}, read, ret), nil},
		{"what one refers to", generic(op{name: "load", a: 1, n: home},
			op{name: "loadheap", a: regAX, b: 1, n: 8}, read, ret), []int{5}},
		{"after a call", generic(op{name: "call"}, load(home), read, ret), []int{5}},
		{"another after a call", generic(op{name: "store", b: regAX, n: 16}, op{name: "call"},
			load(16), read, ret), nil},
		{"its home changed", generic(op{name: "store4", b: 1, n: home}, load(home), read, ret), nil},
		{"its home changed in a loop", generic(load(home), read, op{name: "store4", b: 1, n: home},
			op{name: "jl", n: 3}, ret), nil},
		{"by pointers", generic(op{name: "leaslot", a: 2, n: 16},
			op{name: "storeheap", a: 1, b: 2}, load(home), read, ret), []int{6}},
		{"in loops", generic(op{name: "call"}, op{name: "store", b: 1, n: 16}, load(home), read,
			op{name: "jl", n: 3}, ret), []int{6}},
		{"a larger stack", append(append([]op{{name: "jl", n: 7}}, generic(load(home), read,
			op{name: "call"})...), op{name: "store", b: regAX, n: 8}, op{name: "more"}, load(8),
			op{name: "jmp", n: 0}, ret), []int{5}},
		{"one way without a home", generic(op{name: "jl", n: 5}, op{name: "store", b: 1, n: home},
			load(home), read, ret), nil},
		{"multiplied", []op{{name: "barrier"}, {name: "mul", a: 1}, {name: "store", b: 0, n: 16},
			{name: "mul", a: 1}, read, load(16), read, ret}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			for n := range proofs(t, test.program, maxPasses) {
				got = append(got, n)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("found %v, want %v\n%s", got, test.want, show(test.program))
			}
		})
	}
}

// TestDictionaryOf has names of functions, and where these get their dictionaries.
func TestDictionaryOf(t *testing.T) {
	for name, want := range map[string]int{
		"p.F": -1, "p.F[int]": -1, "p.(*T).M": -1, "p.(*T[int]).M": -1,
		"p.F[go.shape.int]":                               regAX,
		"p.F[go.shape.[]int,go.shape.int]":                regAX,
		"p.F[go.shape.int].func1":                         -1,
		"p.F[go.shape.int].func1.2":                       -1,
		"p.F[go.shape.int]-range1":                        -1,
		"p.F[go.shape.int].gowrap1":                       -1,
		"p.(*T[go.shape.int]).M":                          regBX,
		"p/v2.(*T[go.shape.struct { p.a []q.T[int] }]).M": regBX,
		"p.(*T[go.shape.interface { M(func(int)) }]).M":   regBX,
		"p.(*T[go.shape.int]).M.func1":                    -1,
		"p.(*T[go.shape.int]).M-fm":                       -1,
		"p.T[go.shape.int].M":                             -1,
		"type:.eq.p.T[go.shape.int]":                      -1,
		"p.(*T[int]).M[go.shape.int]).N":                  -1,
		"p.init.F[go.shape.int].func2":                    -1,
		"a.b/c%2ed.F[go.shape.int]":                       regAX,
		"p.F[go.shape.[]int]":                             regAX,
		"p.(*T).M[go.shape.int]":                          -1,
		"p.T.M[go.shape.int]":                             -1,
		"p.(*G[go.shape.int]).M[go.shape.int]":            -1,
		"p.G[go.shape.int].M[go.shape.int]":               -1,
		"a.b/p.G[go.shape.[]int].M[go.shape.[]int]":       -1,
	} {
		if got := dictionaryOf(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
