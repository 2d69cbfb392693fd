// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
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

// A logger is a sink that hands races to a function, for their actions don't outlive the call.
type logger struct {
	stack, origin *stack
	goid, creator uint64
	test          *test
	race          func(r *race)
}

func (*logger) Begins() {}

func (k *logger) Ends() vclock.Epoch { return k.Epoch() }

func (k *logger) Epoch() vclock.Epoch { return 0 }
func (k *logger) Began() vclock.Epoch { return 0 }

func (k *logger) Conflict(_ *commrace.Object, _, _ *commrace.Action) {}

func (k *logger) Capture(a *commrace.Action, args unsafe.Pointer) {
	a.Stack, a.Origin = uintptr(unsafe.Pointer(k.stack)), uintptr(unsafe.Pointer(k.origin))
	a.Goid, a.Creator = k.goid, k.creator
	a.Owner = uintptr(unsafe.Pointer(k.test))
	keep(a, args)
}

func (k *logger) Unused(t *commrace.Table, a *commrace.Action) bool {
	return stackOf(a.Stack).unused(t, t.Methods[a.Method].Name)
}

func (k *logger) Race(o *commrace.Object, r commrace.Race) {
	k.race(&race{0xc000012340, o.Table(), r})
}

func (k *logger) Checks(t *commrace.Table, check *commrace.Action) bool { return checks(t, check) }

func (k *logger) Decides(t *commrace.Table, check, act *commrace.Action) bool {
	return check.At.Site != 0 && check.At.Frame == act.At.Frame && remembered(t, check, act)
}

// makeRace has two goroutines make two calls on one object, each with its logger, and reports
// whether they are in a race.
func makeRace(t testing.TB, first, second *logger, a, b *commrace.Call, f func(r *race)) bool {
	t.Helper()
	var o commrace.Object
	o.Init(mapTable(t), &instance.Clocks)
	defer o.Drop()
	found := false
	second.race = func(r *race) {
		found = true
		f(r)
	}
	first.race = func(*race) { t.Error("the first call is in a race") }
	g, h := Main(), Main()
	defer g.Exit()
	defer h.Exit()
	o.End(a, &g.clock, first)
	o.End(b, &h.clock, second)
	return found
}

// here is the stack of its caller, from there on out; at most depth frames of it.
//
//go:noinline
func here(depth int) *stack {
	var pcs [MaxDepth]uintptr
	n, _ := host.Callers(pcs[:], 0)
	return stacks.put(pcs[1:min(n, 1+depth)], 0)
}

// restore sets the options and registrations to what they are at the start of a program, for the
// time of a test.
func restore(t *testing.T) {
	reset := func() {
		options.once.Store(1)
		options.level, options.exit, options.halt = races, 66, false
		options.strip, options.out, options.rules = "", 2, ""
		options.stats, options.sleep = false, 1000
		rules = nil
		found.closed = false
		registered.first, globals.first = offheap.AtomicRef[registration]{}, nil
		globals.n.Store(0)
		globals.sorted, globals.byPackage = offheap.AtomicRef[globalTable]{}, offheap.Memo{}
		registered.index, knownLayers, knownLockLayers = lineIndex{}, offheap.Memo{}, offheap.Memo{}
	}
	reset()
	t.Cleanup(reset)
}

// suppress sets the text of the suppressions file.
func suppress(text string) {
	options.rules = text
	readySuppressions()
}

// usedRules has a bit for each rule that has matched.
func usedRules() (bits uint64) {
	for i := range rules {
		if rules[i].used {
			bits |= 1 << i
		}
	}
	return bits
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
