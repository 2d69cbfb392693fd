// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Transaction is where instrumented code keeps a transaction that it has begun. Its layout is
// that of compiled.Transaction, which the injected code declares.
type Transaction struct {
	Owner uintptr // the goroutine, 0 when the transaction has ended
	_     [3]uintptr
}

// The injected code declares as much, or a Transaction would overflow what it has.
const _ = -(unsafe.Sizeof(Transaction{}) - unsafe.Sizeof(compiled.Transaction{}))

// A Transactor is a goroutine's part in the checks of transactions.
type Transactor struct {
	record.Recorded
}

// BeginAtomic notes that g begins a transaction of the code p. An inner transaction is part of the
// outermost; only that one is counted and predicted.
func (g *Transactor) BeginAtomic(t *Transaction, p *atomicity.AtomicCode) {
	if g.TimerContext || t.Owner != 0 {
		return
	}
	t.Owner = uintptr(unsafe.Pointer(g))
	g.HasMemoryClock() // its events must not move to another clock while it runs
	outer := !g.Txn.InTransaction()
	instance.Transactions.Begin(&g.Txn, g.MemoryClock.P(), p)
	if recorder.On() {
		g.RecordBegin(p)
	}
	if outer {
		counts.Transaction()
		sync.Predicted(&g.Thread).Begin(uintptr(unsafe.Pointer(p)), p.ValueIndependent,
			g.Txn.BeginEpoch())
	}
}

// EndAtomic notes that the transaction ends. It does nothing if g has not begun it, or has ended
// it.
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
		sync.EndPredicted(&g.Thread)
		g.Memory.P().SetQuickOff(false)
		finding.Predictions()
	}
}

// Fresh reports whether g is in a transaction that has made no event yet.
func (g *Transactor) Fresh() bool { return g.Txn.Fresh() }

// Again begins g's transaction anew, with all that it is inside of. Nothing that it does from now
// on depends on what it has done so far: that was to find out whether to look again.
func (g *Transactor) Again() {
	if !g.Txn.InTransaction() {
		return
	}
	p := report.CodeOf(g.Txn.Code())
	depth := g.Txn.Depth()
	if recorder.On() {
		for range depth {
			g.RecordEnd()
		}
	}
	instance.Transactions.Again(&g.Txn, g)
	if recorder.On() {
		for range depth {
			g.RecordBegin(p)
		}
	}
	sync.EndPredicted(&g.Thread)
	g.Memory.P().SetQuickOff(false)
	sync.Predicted(&g.Thread).Begin(uintptr(unsafe.Pointer(p)), p.ValueIndependent,
		g.Txn.BeginEpoch())
	finding.Predictions()
}

// LeaveOut notes that what g does from now on decides nothing, and so makes no conflicts of
// transactions; or that this is over.
func (g *Transactor) LeaveOut(out bool) { g.Txn.Left = out && !g.TimerContext }

// ForkAtomic notes that g, at its epoch now, has started child. The return addresses pcs are those
// of the go statement's stack.
func (g *Transactor) ForkAtomic(child *Transactor, now vclock.Epoch, creator uint64,
	origin *stack.Stack) {
	first := child.MemoryClock.P().Pin() // pinned, so that no other goroutine begins with it
	if g == nil || g.TimerContext || g.InAnyCall() {
		instance.Transactions.Fork(nil, 0, first, atomicity.Edge{})
		return
	}
	e := atomicity.Edge{Kind: atomicity.Go, FromGoid: creator, FromWrites: true}
	if instance.Transactions.MayCloseCycle(now) {
		e.FromSite = origin.Site()
	}
	instance.Transactions.Fork(&g.Txn, now, first, e)
}

// Epoch is g's present epoch for transactions, 0 if none runs.
func (g *Transactor) Epoch() vclock.Epoch {
	if !instance.Transactions.Running() {
		return 0
	}
	return g.MemoryClock.P().Pin()
}

// Began is the first epoch of the transaction that g is in, 0 if it is in none.
func (g *Transactor) Began() vclock.Epoch { return g.Txn.BeginEpoch() }

// Conflict adds the edge from an earlier call to one that g has made.
func (g *Transactor) Conflict(o *commrace.Object, first, second *commrace.Action) {
	if !instance.Transactions.MayCloseCycle(first.Txn) {
		return
	}
	t := o.Table()
	from, to := &t.Methods[first.Method], &t.Methods[second.Method]
	instance.Transactions.AddEdge(&g.Txn, g.MemoryClock.P(), atomicity.Edge{
		Kind: atomicity.Object, Addr: sync.ObjectOf(o).Addr.Load(),
		Table: uintptr(unsafe.Pointer(t)),
		From:  first.Txn, FromGoid: first.Goid, FromSite: stack.StackOf(first.Stack).Site(),
		ToGoid: second.Goid, ToSite: stack.StackOf(second.Stack).Site(),
		FromWrites: from.Role != commrace.Observer, FromCall: uintptr(unsafe.Pointer(from)),
		ToWrites: to.Role != commrace.Observer, ToCall: uintptr(unsafe.Pointer(to)),
	})
}

// Atomicity is g's part in package atomicity.
func (g *Transactor) Atomicity() *atomicity.Thread { return &g.Txn }
