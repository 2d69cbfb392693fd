// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"sync"
	"testing"

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
	if !own.StdOwned || counts.Totals() != before {
		t.Error("a call by the standard library counts")
	}
	mine := g.countedObject(0x7b0000200000, table,
		pcOf(t, "github.com/commutego/commute/internal/engine/call.pcOf.func1"))
	if after := counts.Totals(); mine.StdOwned || after.Calls != before.Calls+1 ||
		after.Types != before.Types+1 {
		t.Error("a call by the program doesn't count")
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
