// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/instance"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Transaction is where instrumented code keeps one that it has begun; the layout is shared with the code that is
// injected.
type Transaction struct {
	owner uintptr // the goroutine
	depth uintptr // of one that is inferred: how many there are
	_     [2]uintptr
}

// What marked code declares is as large: else this overflows.
const _ = -(unsafe.Sizeof(Transaction{}) - unsafe.Sizeof(compiled.Transaction{}))

// Transactor is a goroutine's part in the check of transactions.
type Transactor struct {
	Recorded
}

// BeginAtomic tells that g begins a transaction.
func (g *Transactor) BeginAtomic(t *Transaction, p *atomicity.AtomicCode) {
	if g.carrier || t.owner != 0 {
		return
	}
	t.owner = uintptr(unsafe.Pointer(g))
	g.isSplit() // its clock must not turn while the transaction runs
	outer := !g.txn.InTransaction()
	instance.Transactions.Begin(&g.txn, g.line.P(), p)
	if recorder.On() {
		g.recordBegin(p)
	}
	if outer {
		countTransaction()
		g.past.Begin(uintptr(unsafe.Pointer(p)), p.ValueIndependent, g.txn.BeginEpoch())
	}
}

// EndAtomic tells that it ends; that it has begun, and not ended, need not be so.
func (g *Transactor) EndAtomic(t *Transaction) {
	if t.owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.owner = 0
	if recorder.On() {
		g.recordEnd()
	}
	instance.Transactions.End(&g.txn, g)
	if !g.txn.InTransaction() {
		instance.Predictor.End(&g.past)
		g.memory.SetQuickOff(false)
		tellPredictions()
	}
}

// forkAtomic tells that parent, at its epoch now, has started child at pcs.
func (g *Transactor) forkAtomic(child *Transactor, now vclock.Epoch, creator uint64, pcs []uintptr) {
	first := child.line.P().Pin() // no other is to begin with it
	if g == nil || g.carrier || g.hidden() {
		instance.Transactions.Fork(nil, 0, first, atomicity.Edge{})
		return
	}
	e := atomicity.Edge{Kind: atomicity.Go, FromGoid: creator, FromWrites: true}
	if instance.Transactions.MayCloseCycle(now) {
		for i := len(pcs) - 1; i >= 0; i-- {
			e.FromSite = datarace.Context(e.FromSite, pcs[i])
		}
	}
	instance.Transactions.Fork(&g.txn, now, first, e)
}

// Epoch is g's present as transactions count it, 0 if none runs.
func (g *Transactor) Epoch() vclock.Epoch {
	if !instance.Transactions.Running() {
		return 0
	}
	return g.line.P().Pin()
}

// Began is the first moment of the transaction that g is in, 0 if it's in none.
func (g *Transactor) Began() vclock.Epoch { return g.txn.BeginEpoch() }

// Conflict draws the edge from an earlier call to one that g has made.
func (g *Transactor) Conflict(o *commrace.Object, first, second *commrace.Action) {
	if !instance.Transactions.MayCloseCycle(first.Txn) {
		return
	}
	obj := (*object)(unsafe.Add(unsafe.Pointer(o), -int(unsafe.Offsetof(object{}.Object))))
	t := o.Table()
	instance.Transactions.AddEdge(&g.txn, g.line.P(), atomicity.Edge{
		Kind: atomicity.Object, Addr: obj.addr.Load(),
		From: first.Txn, FromGoid: first.Goid, FromSite: stackOf(first.Stack).site(), FromWrites: t.Methods[first.Method].Role != commrace.Observer,
		ToGoid: second.Goid, ToSite: stackOf(second.Stack).site(), ToWrites: t.Methods[second.Method].Role != commrace.Observer,
		FromCall: uintptr(unsafe.Pointer(&t.Methods[first.Method])), ToCall: uintptr(unsafe.Pointer(&t.Methods[second.Method])),
		Table: uintptr(unsafe.Pointer(t)),
	})
}

// Atomicity makes g's events for transactions.
func (g *Transactor) Atomicity() *atomicity.Thread { return &g.txn }
