// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Transaction is where instrumented code keeps one that it has begun; the layout is shared with the code that is
// injected.
type Transaction struct {
	Owner uintptr // the goroutine
	Depth uintptr // of one that is inferred: how many there are
	_     [2]uintptr
}

// What marked code declares is as large: else this overflows.
const _ = -(unsafe.Sizeof(Transaction{}) - unsafe.Sizeof(compiled.Transaction{}))

// Transactor is a goroutine's part in the check of transactions.
type Transactor struct {
	record.Recorded
}

// BeginAtomic tells that g begins a transaction.
func (g *Transactor) BeginAtomic(t *Transaction, p *atomicity.AtomicCode) {
	if g.TimerContext || t.Owner != 0 {
		return
	}
	t.Owner = uintptr(unsafe.Pointer(g))
	g.HasMemoryClock() // its clock must not turn while the transaction runs
	outer := !g.Txn.InTransaction()
	instance.Transactions.Begin(&g.Txn, g.MemoryClock.P(), p)
	if recorder.On() {
		g.RecordBegin(p)
	}
	if outer {
		counts.Transaction()
		g.Predict.Begin(uintptr(unsafe.Pointer(p)), p.ValueIndependent, g.Txn.BeginEpoch())
	}
}

// EndAtomic tells that it ends; that it has begun, and not ended, need not be so.
func (g *Transactor) EndAtomic(t *Transaction) {
	if t.Owner != uintptr(unsafe.Pointer(g)) {
		return
	}
	t.Owner = 0
	if recorder.On() {
		g.RecordEnd()
	}
	instance.Transactions.End(&g.Txn, g)
	if !g.Txn.InTransaction() {
		instance.Predictor.End(&g.Predict)
		g.Memory.SetQuickOff(false)
		finding.Predictions()
	}
}

// ForkAtomic tells that parent, at its epoch now, has started child at pcs.
func (g *Transactor) ForkAtomic(child *Transactor, now vclock.Epoch, creator uint64, pcs []uintptr) {
	first := child.MemoryClock.P().Pin() // no other is to begin with it
	if g == nil || g.TimerContext || g.InAnyCall() {
		instance.Transactions.Fork(nil, 0, first, atomicity.Edge{})
		return
	}
	e := atomicity.Edge{Kind: atomicity.Go, FromGoid: creator, FromWrites: true}
	if instance.Transactions.MayCloseCycle(now) {
		for i := len(pcs) - 1; i >= 0; i-- {
			e.FromSite = datarace.Context(e.FromSite, pcs[i])
		}
	}
	instance.Transactions.Fork(&g.Txn, now, first, e)
}

// Epoch is g's present as transactions count it, 0 if none runs.
func (g *Transactor) Epoch() vclock.Epoch {
	if !instance.Transactions.Running() {
		return 0
	}
	return g.MemoryClock.P().Pin()
}

// Began is the first moment of the transaction that g is in, 0 if it's in none.
func (g *Transactor) Began() vclock.Epoch { return g.Txn.BeginEpoch() }

// Conflict draws the edge from an earlier call to one that g has made.
func (g *Transactor) Conflict(o *commrace.Object, first, second *commrace.Action) {
	if !instance.Transactions.MayCloseCycle(first.Txn) {
		return
	}
	obj := (*sync.Object)(unsafe.Add(unsafe.Pointer(o), -int(unsafe.Offsetof(sync.Object{}.Object))))
	t := o.Table()
	instance.Transactions.AddEdge(&g.Txn, g.MemoryClock.P(), atomicity.Edge{
		Kind: atomicity.Object, Addr: obj.Addr.Load(),
		From: first.Txn, FromGoid: first.Goid, FromSite: stack.StackOf(first.Stack).Site(), FromWrites: t.Methods[first.Method].Role != commrace.Observer,
		ToGoid: second.Goid, ToSite: stack.StackOf(second.Stack).Site(), ToWrites: t.Methods[second.Method].Role != commrace.Observer,
		FromCall: uintptr(unsafe.Pointer(&t.Methods[first.Method])), ToCall: uintptr(unsafe.Pointer(&t.Methods[second.Method])),
		Table: uintptr(unsafe.Pointer(t)),
	})
}

// Atomicity makes g's events for transactions.
func (g *Transactor) Atomicity() *atomicity.Thread { return &g.Txn }
