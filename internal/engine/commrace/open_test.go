// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

const numberSpec = `//ecl:type example.com/n.Number
//ecl:open
//ecl:observer Load()/v
//ecl:commute Add(d1)/s1, Add(d2)/s2: false
//ecl:commute Add(d1)/s1, Load()/v2: false
//ecl:also Add(d1)/s1, Add(d2)/s2: unused(s1) && unused(s2)
`

// A number is an object of numberSpec, and the variable that it is made of.
type number struct {
	*world
	ecl      *ecl.Table
	variable vclock.LockClock
	used     bool // the result of the call that ends
}

func newNumber(t *testing.T) *number {
	t.Helper()
	list, err := ecl.Parse("n.ecl", 1, 1, numberSpec)
	if err != nil {
		t.Fatal(err)
	}
	et, err := ecl.Compile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	ct := build(t, et)
	if !ct.Methods[0].Open || !ct.Methods[1].Open {
		t.Error("the methods are not open")
	}
	if load, add := uint32(0), uint32(1); !ct.Formula(add, add).OnlyResults() ||
		ct.Formula(load, add).OnlyResults() {
		t.Error("of two Adds, and only of those, nothing but the results depends on their order")
	}
	return &number{world: newWorld(et, ct, 4), ecl: et}
}

func (*number) Begins() {}

func (*number) Joins()   {}
func (*number) Leaves()  {}
func (*number) Resumes() {}

func (*number) Abandons() {}

func (n *number) Ends() vclock.Epoch { return n.Epoch() }

func (n *number) Epoch() vclock.Epoch                                { return 0 }
func (n *number) Began() vclock.Epoch                                { return 0 }
func (n *number) Conflict(_ *commrace.Object, _, _ *commrace.Action) {}
func (n *number) Recapture(a *commrace.Action, args unsafe.Pointer)  { n.Capture(a, args) }

func (n *number) Capture(a *commrace.Action, _ unsafe.Pointer) {
	a.Stack = 0
	if n.used {
		a.Stack = 1
	}
}

func (n *number) Unused(_ *commrace.Table, a *commrace.Action) bool { return a.Stack == 0 }

// run makes the steps of a program: "1a" is the beginning of an Add by thread 1, "1l" that of a
// Load, "1!" the time at which it takes effect, "1u" its end, "1x" one after which its result is
// used, and "1-" a panic.
func (n *number) run(steps string) (races int) {
	var calls [4]*commrace.Call
	for s := range strings.FieldsSeq(steps) {
		i := int(s[0] - '0')
		t := n.threads[i]
		switch s[1] {
		case 'a':
			calls[i] = engineCall(n.ecl, call{"Add", []any{1, 1}})
			n.obj.BeginOpen(calls[i], t, n)
		case 'l':
			calls[i] = engineCall(n.ecl, call{"Load", []any{1}})
			n.obj.BeginOpen(calls[i], t, n)
		case '!':
			n.variable.Acquire(t)
			if n.ecl.Methods[calls[i].Method].Name == "Add" {
				n.variable.Release(t)
			}
		case '-':
			n.obj.Abandon(calls[i], n)
		default:
			n.used = s[1] == 'x'
			n.obj.EndOpen(calls[i], t, n)
		}
	}
	races = n.races
	n.variable.Clear()
	n.end()
	return races
}

func (n *number) Race(*commrace.Object, commrace.Race) { n.races++ }

// Open calls race if neither was known when the other began, though each orders what follows it.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name, steps string
		races       int
	}{
		{"unused", "1a 1! 1u 2a 2! 2u", 0},
		{"used and unused", "1a 1! 1x 2a 2! 2u", 1},
		{"unused and used", "1a 1! 1u 2a 2! 2x", 1},
		{"read", "1a 1! 1u 2l 2! 2u", 1},
		{"read before", "2l 2! 2u 1a 1! 1u", 1},
		{"known by an earlier call", "1a 1! 1u 2a 2! 2u 2l 2! 2u", 0},
		{"overlap, the later ends first", "1a 2l 1! 2! 2u 1u", 1},
		{"overlap, the earlier ends first", "1a 2l 2! 1! 1u 2u", 1},
		{"overlap of unused", "1a 2a 1! 2! 2u 1u", 0},
		{"known while it ends", "1a 1! 2l 2! 2u 2l 2! 2u 1u", 1},
		{"a panic", "1a 2l 2! 1- 2u", 0},
		{"another panic", "1a 2l 2! 2- 1! 1u", 0},
		{"repeated reads", "1l 1! 1u 1l 1! 1u 2a 2! 2u 1l 1! 1u", 2},
		{"used is not superseded by unused", "1a 1! 1x 2a 2! 2u 3a 3! 3u", 2},
		{"used after unused", "1a 1u 1a 1x 2a 2! 2u", 1},
		{"unused is superseded", "1a 1! 1u 2a 2! 2u 3l 3! 3u", 1},
		{"three", "1a 2a 3l 1! 2! 3! 1u 2u 3u", 2},
	} {
		if got := newNumber(t).run(c.steps); got != c.races {
			t.Errorf("%s: %d races, want %d", c.name, got, c.races)
		}
	}
}

// More calls at a time than there is room for hide races; they must not do anything else.
func TestOpenCrowd(t *testing.T) {
	n := newNumber(t)
	var calls []*commrace.Call
	for range 20 {
		c := engineCall(n.ecl, call{"Add", []any{1, 1}})
		n.obj.BeginOpen(c, n.threads[1], n)
		calls = append(calls, c)
	}
	late := engineCall(n.ecl, call{"Load", []any{1}})
	n.obj.BeginOpen(late, n.threads[2], n)
	for _, c := range calls {
		n.obj.EndOpen(c, n.threads[1], n)
	}
	n.obj.EndOpen(late, n.threads[2], n)
	if n.races == 0 {
		t.Error("no race is found")
	}
	n.end()
}
