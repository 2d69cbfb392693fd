// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// mapSpec is the specification of a small map, in the form that package ecl encodes.
const mapSpec = `ecl1
type	kv.Map
method	0	Load	o	-	key	value,ok	2
method	1	Store	m	-	key,value	before,found	0
method	2	Swap	m	-	key,value	before,found	1
method	3	Claim	a	-	key	ok	1
method	4	Len	o	-		n	1
keys	0	0
keys	1	0
keys	2	0
keys	3	0
point	0	k	read
point	1	k	write
point	2	k	claim
point	3	g	size
point	4	g	resize
conflict	0	1
conflict	1	1
conflict	1	2
conflict	2	2
conflict	3	4
touch	0	0	0:0
touch	1	0	1:0	4:-
touch	2	0	1:0	4:-
touch	3	0	2:0
touch	4	0	3:-
formula	0	1	kv.ecl:3:1	k1 != k2
formula	0	2	kv.ecl:3:1	k1 != k2
formula	1	1	kv.ecl:4:1	k1 != k2 || v1 == v2
formula	1	2	kv.ecl:5:1	k1 != k2
formula	1	3	kv.ecl:6:1	k1 != k2
formula	1	4	kv.ecl:7:1	v1 == nil
formula	3	3	kv.ecl:8:1	k1 != k2
end
`

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
	table, ok := commrace.Decode(mapSpec)
	if !ok {
		t.Fatal("the specification does not decode")
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
	o.Init(mapTable(t))
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
