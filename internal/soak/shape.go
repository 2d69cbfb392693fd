// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math/rand/v2"
	"strings"

	"github.com/commutego/commute/internal/soak/plan"
)

// A shape is a way to have a variable in source, as field F of s. It has the declaration, the
// statement that makes it, a statement that writes V, and an expression that reads it. Each is one
// line.
type shape struct{ field, make, write, read string }

// shapes are those of a type. The value of each is 0 when it is made.
var shapes = map[plan.Type][]shape{
	plan.Int64: {
		{"F int64", "", "s.F = V", "int(s.F)"},
		{"F *int", "s.F = new(int)", "*s.F = V", "*s.F"},
		{"F box[int]", "", "s.F.item = V", "s.F.item"},
		{"F outer", "", "s.F.n = V", "s.F.n"},
		{"F *outer", "s.F = new(outer)", "s.F.inner.n, _ = V, 0", "s.F.n"},
		{"F int", "", "assign(&s.F, V)", "fetch(&s.F)"},
	},
	plan.Packed: {{"F byte", "", "s.F = V", "int(s.F)"},
		{"F int8", "", "s.F = int8(V)", "int(s.F)"}},
	plan.Uint16: {{"F uint16", "", "s.F = V", "int(s.F)"}},
	plan.Float64: {{"F float64", "", "s.F = V", "int(s.F)"},
		{"F *float64", "s.F = new(float64)", "*s.F = V", "int(*s.F)"}},
	plan.Complex: {{"F complex128", "", "s.F = complex(V, 1)", "int(real(s.F))"}},
	plan.String: {{"F string", "", "s.F = machine.Text[:V]", "machine.Length(s.F)"},
		{"F box[string]", "", "s.F.item = machine.Text[:V]", "machine.Length(s.F.item)"}},
	plan.Slice: {{"F []byte", "", "s.F = machine.Bytes[:V]", "machine.Length(s.F)"}},
	plan.Struct: {
		{"F machine.Three", "", `s.F = machine.Three{A: V, C: "x"}`, "machine.Sum(s.F)"},
		{"F *machine.Three", "s.F = new(machine.Three)", `*s.F = machine.Three{A: V, C: "x"}`,
			"machine.Sum(*s.F)"},
		{"F struct{ machine.Three }", "", "s.F.A = V", "int(s.F.A)"},
	},
	plan.Array: {
		{"F [5]int32", "", "s.F[2] = V", "int(s.F[2])"},
		{"F [5]int32", "", "s.F = [5]int32{2: V}", "int(s.F[2])"},
		{"F [8]byte", "", "copy(s.F[:], []byte{V})", "int(s.F[0])"},
	},
	plan.Pointer: {{"F *int", "", "s.F = &machine.Numbers[V]", "machine.Number(s.F)"}},
	plan.Element: {
		{"F []int", "s.F = make([]int, 3)", "s.F[1] = V", "s.F[1]"},
		{"F []int", "s.F = make([]int, 3)", "for i := range s.F[:1] { s.F[i] = V }", "s.F[0]"},
		{"F []byte", "s.F = make([]byte, 1, 64)", "s.F = append(s.F[:0], V)", "int(s.F[0])"},
		{"F []outer", "s.F = make([]outer, 3)", "s.F[1].inner = inner{V}", "s.F[1].n"},
	},
	plan.Global: {{"F int64", "", "s.F += V - s.F", "int(s.F)"}},
	plan.Any: {{"F any", "s.F = 0", "s.F = V", "s.F.(int)"},
		{"F number", "s.F = some(0)", "s.F = some(V)", "s.F.value()"}},
	plan.Table: {{"F map[int]int", "s.F = make(map[int]int)", "s.F[1] = V", "s.F[1]"},
		{"F map[string]*int", `s.F = map[string]*int{"": new(int)}`, `*s.F[""] = V`, `*s.F[""]`}},
	plan.MapKey: {{"F struct{}", "", "s.m.Store(`F`, V)", "stored(s.m.Load(`F`))"},
		{"F struct{}", "", "s.m.Swap(`F`, V)", "stored(s.m.Load(`F`))"}},
}

// shapesSource is what the shapes need.
const shapesSource = `
type box[T any] struct{ item T }

type inner struct{ n int }

type outer struct {
	name string
	inner
}

type number interface{ value() int }

type some int

func (s some) value() int { return int(s) }

func assign[T any](p *T, v T) { *p = v }

func fetch[T any](p *T) T { return *p }

func stored(v any, _ bool) int { n, _ := v.(int); return n }

func one(n int) func(yield func(int) bool) { return func(yield func(int) bool) { yield(n) } }
`

// contexts are what a statement, X, is put into.
var contexts = []string{
	"X", "X", "X", "X", "X",
	"func() { X }()",
	"func() { defer func() { X }() }()",
	"for range one(1) { X }",
	"for range 2 { X }",
	"if s != nil { X }",
	"switch { default: X }",
	"func() { defer func() { if recover() != nil { X } }(); panic(1) }()",
}

// choose takes a shape for a variable.
func choose(r *rand.Rand, t plan.Type) shape {
	return shapes[t][r.IntN(len(shapes[t]))]
}

// in is a line of a shape for a field.
func (s shape) in(line, field, value string) string {
	return strings.NewReplacer(
		"s.F", "s."+field, "F ", field+" ", "`F`", "`"+field+"`", "V", value,
	).Replace(line)
}
