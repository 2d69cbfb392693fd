// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"runtime"
	"testing"
	"unsafe"
)

type pair[A, B any] struct{ _ [0]func(A) B }

func (p *pair[A, B]) whole() (names [2]string)          { return here() }
func generic[T any](T) (names [2]string)                { return func() [2]string { return here() }() }
func plainly() (names [2]string)                        { return here() }
func nested(p pair[[]int, map[string][2]int]) [2]string { return p.whole() }

// here is the name of its caller in the tables, and as the runtime prints it.
func here() [2]string {
	pc, _, _, _ := runtime.Caller(1)
	frame, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next()
	return [2]string{runtime.FuncForPC(pc).Name(), frame.Function}
}

// Names are those that the runtime prints.
func TestPrintedNameOfRuntime(t *testing.T) {
	for _, names := range [][2]string{
		plainly(), generic(1), generic(pair[[]int, [2]string]{}), new(pair[int, string]).whole(),
		nested(pair[[]int, map[string][2]int]{}),
	} {
		for range 2 { // the second time it is remembered
			if got := PrintedName(names[0]); got != names[1] {
				t.Errorf("%s: %s, want %s", names[0], got, names[1])
			}
		}
	}
}

func TestPrintedName(t *testing.T) {
	for name, want := range map[string]string{
		"p.F":                          "p.F",
		"p.F[go.shape.int]":            "p.F[...]",
		"p.F[T].func1":                 "p.F[...].func1",
		"p.(*T[go.shape.[]uint8]).m":   "p.(*T[...]).m",
		"p.T[a[b[c]],d].m[x[y]].func2": "p.T[...].m[...].func2",
		"p.odd]":                       "p.odd]",
		"":                             "",
	} {
		if got := PrintedName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if name := "p.F[int]"; testing.AllocsPerRun(100, func() { PrintedName(name) }) != 0 {
		t.Error("it allocates")
	}
}

// A name is put together once.
func TestPrintedNameStays(t *testing.T) {
	name := "p.G[int]"
	if a, b := PrintedName(name), PrintedName(name); unsafe.StringData(a) != unsafe.StringData(b) {
		t.Errorf("two copies of %s", a)
	}
}
