// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// mapSpec is the specification of a small map, as it is compiled into a program.
var mapSpec = compiled.Table{
	TypeName: "kv.Map",
	Methods: []compiled.Method{
		{Name: "Load", Role: 'o', Params: "key", Results: "value,ok", Visible: 2,
			Keys: []uint8{0}, Touch: [][]compiled.Touch{{{Point: 0}}}},
		{Name: "Store", Role: 'm', Params: "key,value", Results: "before,found",
			Keys: []uint8{0}, Touch: [][]compiled.Touch{{{Point: 1}, {Point: 4}}}},
		{Name: "Swap", Role: 'm', Params: "key,value", Results: "before,found", Visible: 1,
			Keys: []uint8{0}, Touch: [][]compiled.Touch{{{Point: 1}, {Point: 4}}}},
		{Name: "Claim", Role: 'a', Params: "key", Results: "ok", Visible: 1,
			Keys: []uint8{0}, Touch: [][]compiled.Touch{{{Point: 2}}}},
		{Name: "Len", Role: 'o', Results: "n", Visible: 1, Touch: [][]compiled.Touch{{{Point: 3}}}},
	},
	Points: []compiled.Point{
		{Name: "read", Keyed: true, Conflicts: 1 << 1},
		{Name: "write", Keyed: true, Conflicts: 1<<0 | 1<<1 | 1<<2},
		{Name: "claim", Keyed: true, Conflicts: 1<<1 | 1<<2},
		{Name: "size", Conflicts: 1 << 4},
		{Name: "resize", Conflicts: 1 << 3},
	},
	Formulas: []compiled.Formula{
		{First: 0, Second: 1, Pos: "kv.ecl:3:1", Text: "k1 != k2"},
		{First: 0, Second: 2, Pos: "kv.ecl:3:1", Text: "k1 != k2"},
		{First: 1, Second: 1, Pos: "kv.ecl:4:1", Text: "k1 != k2 || v1 == v2"},
		{First: 1, Second: 2, Pos: "kv.ecl:5:1", Text: "k1 != k2"},
		{First: 1, Second: 3, Pos: "kv.ecl:6:1", Text: "k1 != k2"},
		{First: 1, Second: 4, Pos: "kv.ecl:7:1", Text: "v1 == nil"},
		{First: 3, Second: 3, Pos: "kv.ecl:8:1", Text: "k1 != k2"},
	},
}

// openSpec is mapSpec of a type that is open.
func openSpec() *compiled.Table {
	spec := mapSpec
	spec.Methods = slices.Clone(spec.Methods)
	for i := range spec.Methods {
		spec.Methods[i].Open = true
	}
	return &spec
}

// The methods of mapSpec.
const (
	load = iota
	store
	swap
	claim
	size
)

func mapTable(t testing.TB) *commrace.Table {
	t.Helper()
	table, ok := commrace.Build(&mapSpec)
	if !ok {
		t.Fatal("the specification is more than a table can hold")
	}
	return table
}

// callOf is a call of a method of mapSpec with its parameters and results.
func callOf(method uint32, values ...any) *commrace.Call {
	c := &commrace.Call{Method: method, State: 1, Nargs: uint32(len(values))}
	if len(values) > 0 {
		c.Keys[0] = host.Hash(values[0])
		c.Args = unsafe.Pointer(&values[0])
	}
	return c
}

// here is the stack of its caller, from there on out; at most depth frames of it.
//
//go:noinline
func here(depth int) *stack {
	var pcs [MaxDepth]uintptr
	n, _ := host.Callers(pcs[:], 0)
	return stacks.put(pcs[1:min(n, 1+depth)], 0)
}

// These stand for the watched program. Their places don't move when this file changes.

//line /home/user/app/cache.go:10
//go:noinline
func appPut() *stack {
	return here(2)
}

//line /home/user/app/cache.go:20
//go:noinline
func appGet() *stack {
	return here(2)
}

//line /home/user/app/main.go:30
//go:noinline
func appMain() (put, get, origin *stack) {
	put = appPut()
	get = appGet()
	return put, get, here(1)
}

// siteOf is the site that a stack's innermost frame is.
func siteOf(s *stack) (site uint32) {
	pcs := s.frames()
	for i := len(pcs) - 1; i >= 0; i-- {
		site = datarace.Context(site, pcs[i])
	}
	return site
}

// lifeOf is what is kept of a goroutine.
func lifeOf(goid, creator uint64, origin *stack, ended uint32) *datarace.GoroutineRecord {
	l := &datarace.GoroutineRecord{Goid: goid, Creator: creator, Origin: uintptr(unsafe.Pointer(origin))}
	l.Ended.Store(ended)
	return l
}

// moved takes out what moves when the compiler makes other code of the fixture.
func moved(text string) string {
	return regexp.MustCompile(` \+0x[0-9a-f]+`).ReplaceAllString(text, " +0x1")
}

var testPlace = atomicity.AtomicCode{Name: "p.f", Pos: "f.go:1"}

// siteLine is a registered call.
func siteLine(pkg, file string, line int, method, kind, declPkg, decl, pos string) string {
	return strings.Join([]string{"site", pkg, file, fmt.Sprint(line), method, kind, declPkg, decl, pos}, "\t") + "\n"
}

// somewhere is a site that is nowhere in the program.
func somewhere(pc uintptr) uint32 { return datarace.Context(0, pc) }

// suppress sets the text of the suppressions file.
func suppress(text string) {
	options.rules = text
	readySuppressions()
}

// clear sets the options and registrations to what they are at the start of a program, for the time
// of a test.
func clearAll(t testing.TB) {
	reset := func() {
		resetOptions()
		resetSource()
	}
	reset()
	t.Cleanup(reset)
}
