// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/txn"
)

// startCaller is one that knows nothing of others.
func startCaller() *Caller {
	g := new(Caller)
	g.Reset()
	instance.Clocks.Start(&g.Clock)
	return g
}

// TestCounts counts calls of many goroutines, transactions, and types, and not what goes on inside
// of a call or in an inner transaction.
func TestCounts(t *testing.T) {
	before := counts.Totals()
	table := fixture.MapTable(t)
	const goroutines, calls = 8, 200
	var wg sync.WaitGroup
	for i := range goroutines {
		g := startCaller()
		wg.Go(func() {
			for range calls {
				g.countedObject(uintptr(0x7b0000000000+64*i), table, 1)
			}
			var outer, inner txn.Transaction
			g.BeginAtomic(&outer, &fixture.TestPlace)
			g.BeginAtomic(&inner, &fixture.TestPlace)
			g.EndAtomic(&inner)
			g.EndAtomic(&outer)
			g.Finish()
		})
	}
	wg.Wait()
	after := counts.Totals()
	if got := after.Calls - before.Calls; got != goroutines*calls {
		t.Errorf("%d calls are counted, want %d", got, goroutines*calls)
	}
	if got := after.Transactions - before.Transactions; got != goroutines {
		t.Errorf("%d transactions are counted, want %d", got, goroutines)
	}
	if got := after.Types - before.Types; got != 1 {
		t.Errorf("%d types are counted, want 1", got)
	}
}

// TestForeign has an object of the standard library's own, whose calls don't count.
func TestForeign(t *testing.T) {
	table := fixture.MapTable(t)
	table.Type = "sync.Map"
	before := counts.Totals()
	g := startCaller()
	defer g.Finish()
	own := g.countedObject(0x7b0000100000, table, pcOf(t, "sync.(*Once).doSlow"))
	if !own.StdOwned() || counts.Totals() != before {
		t.Error("a call by the standard library counts")
	}
	here := pcOf(t, "github.com/commutego/commute/internal/engine/call.pcOf.func1")
	mine := g.countedObject(0x7b0000200000, table, here)
	if after := counts.Totals(); mine.StdOwned() || after.Calls != before.Calls+1 ||
		after.Types != before.Types+1 {
		t.Error("a call by the program doesn't count")
	}
	g.countedObject(0x7b0000100000, table, here)
	if own.StdOwned() {
		t.Error("what the program calls counts as the standard library's own")
	}
}

// TestForeignLeavesNoTouch has observations of such an object, which mark no epoch of the
// goroutine. Once the program has called it, they do.
func TestForeignLeavesNoTouch(t *testing.T) {
	spec := &commrace.Spec{Of: &fixture.MapSpec}
	tableOf(spec).Type = "sync.Map"
	seenBy[host.Shard()].Store((*commrace.Seen)(host.Alloc(unsafe.Sizeof(commrace.Seen{}))))
	defer seenBy[host.Shard()].Store(nil) // no other test is bound to a processor
	var memory [64]byte
	obj := unsafe.Pointer(&memory)
	std := pcOf(t, "sync.(*Once).doSlow")
	here := pcOf(t, "github.com/commutego/commute/internal/engine/call.pcOf.func1")
	g := startCaller()
	defer g.Finish()
	observes := func(key uint64, site uintptr) (marks bool) {
		before := g.Clock.Now()
		g.Clock.Tick() // moves on if an epoch is marked
		c := fixture.CallOf(0, int(key), 0, true)
		g.Observe(spec, obj, 0, 0, key, c.Args, c.Nargs, commrace.Place{Site: site})
		g.Clock.Tick()
		return g.Clock.Now().Time() > before.Time()+2
	}
	observes(1, std)
	for key := range uint64(4) {
		if observes(key, std) {
			t.Errorf("an observation of key %d leaves a touch", key)
		}
	}
	if !observes(1, here) || !observes(2, std) {
		t.Error("an observation of an object that the program calls leaves no touch")
	}
}

// pcOf is a return address in a function that calls another.
func pcOf(t *testing.T, name string) uintptr {
	var found uintptr
	var once sync.Once
	once.Do(func() {
		var pcs [16]uintptr
		n, _ := host.Callers(pcs[:], 0)
		for _, pc := range pcs[:n] {
			if got, ok := host.NameAt(pc, 0); ok && got == name {
				found = pc
			}
		}
	})
	if found == 0 {
		t.Fatalf("%s is not on the stack", name)
	}
	return found
}
