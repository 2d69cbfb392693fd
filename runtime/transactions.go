// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/check/atomicity"
	"github.com/commutego/commute/check/datarace"
	"github.com/commutego/commute/check/vclock"
)

// A Transaction is where instrumented code keeps one that it has begun; the layout is shared with the code that is
// injected.
type Transaction struct {
	owner uintptr // the goroutine
	_     [3]uintptr
}

// BeginAtomic tells that g begins a transaction.
func (g *Goroutine) BeginAtomic(t *Transaction, p *atomicity.Place) {
	if g == nil || g.carrier || t.owner != 0 {
		return
	}
	t.owner = uintptr(unsafe.Pointer(g))
	g.txn.Begin(g.line.P(), p)
}

// EndAtomic tells that it ends; that it has begun, and not ended, need not be so.
func (g *Goroutine) EndAtomic(t *Transaction) {
	if g == nil || t.owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.owner = 0
	g.txn.End(g)
}

// forkAtomic tells that parent, at its epoch now, has started child at pcs.
func (g *Goroutine) forkAtomic(child *Goroutine, now vclock.Epoch, creator uint64, pcs []uintptr) {
	first := child.line.P().Now()
	if g == nil || g.carrier {
		atomicity.Fork(nil, 0, first, atomicity.Edge{})
		return
	}
	e := atomicity.Edge{Kind: atomicity.Go, FromGoid: creator, FromWrites: true}
	if atomicity.Matters(now) {
		for i := len(pcs) - 1; i >= 0; i-- {
			e.FromSite = datarace.Context(e.FromSite, pcs[i])
		}
	}
	atomicity.Fork(&g.txn, now, first, e)
}

// Atomicity makes g's events for transactions.
func (g *Goroutine) Atomicity() *atomicity.Thread { return &g.txn }
