// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// A play is a script whose events are given one by one: an actor, what it does, and to what.
type play struct {
	*script
	t *testing.T
}

func newPlay(t *testing.T, actors int) *play {
	p := &play{newScript(1, &testPredictor), t}
	p.threads = nil
	for id := range actors {
		a := &actor{id: id}
		p.predictor.Fork(&a.Thread, &a.Thread, a.step())
		p.threads = append(p.threads, a)
	}
	t.Cleanup(p.finish)
	return p
}

func (p *play) access(thread, op, v int) {
	a := p.threads[thread]
	e := event{thread: thread, op: op, arg: v, t: a.in, independent: a.independent, rf: -1}
	p.script.access(a, &e, uint32(len(p.trace)))
	p.add(e)
}

// locked makes the events of do while thread holds a lock.
func (p *play) locked(thread, l int, do func()) {
	a := p.threads[thread]
	if p.predictor.Lock(&a.Thread, lockOf(l), false, a.step()) {
		p.predictor.BeginSection(&a.Thread, a.step())
	}
	do()
	p.predictor.Unlock(&a.Thread, lockOf(l), false, true, a.step())
}

// inTwo makes a transaction that reads a variable and writes it, in two critical sections.
func (p *play) inTwo(thread int, valueIndependent bool) {
	a := p.threads[thread]
	a.in, a.independent = thread+1, valueIndependent
	a.own = nil
	a.Begin(uintptr(thread+1)<<4, valueIndependent, a.step())
	p.locked(thread, 0, func() { p.access(thread, read, 0) })
	p.locked(thread, 0, func() { p.access(thread, write, 0) })
	p.predictor.End(&a.Thread)
	a.in, a.independent = 0, false
}

func (p *play) predicted() bool {
	_, ok := p.predictor.Collect()
	return ok
}

func TestBlindWrite(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	p.locked(1, 0, func() { p.access(1, write, 0) })
	if !p.predicted() {
		t.Error("a write that could have come in between is not predicted")
	}
}

func TestReadModifyWrite(t *testing.T) {
	for _, independent := range []bool{false, true} {
		p := newPlay(t, 2)
		p.inTwo(0, independent)
		p.inTwo(1, independent)
		if got := p.predicted(); got != independent {
			t.Errorf("value-independent %v: predicted: %v", independent, got)
		}
		p.finish()
	}
}

// A lock that Second doesn't need keeps no thread out, even if the thread of Other holds it.
func TestHeldLock(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	p.locked(1, 1, func() {
		p.locked(1, 0, func() { p.access(1, write, 0) })
		if !p.predicted() {
			t.Error("not predicted when the lock that is needed was free")
		}
	})
}

func TestFreed(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	p.predictor.Freed(addrOf(1), 8)
	if !p.predictor.Tracked(addrOf(0)) {
		t.Fatal("other memory was freed")
	}
	p.predictor.Freed(addrOf(0)-64, 128)
	p.locked(1, 0, func() { p.access(1, write, 0) })
	if p.predicted() {
		t.Error("predicted for memory that has another use")
	}
}

// TestFilterConcurrently has an event look for what concerns a candidate while the filters are
// computed anew: it finds the candidate each time.
func TestFilterConcurrently(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	r := p.predictor.ensureRegistry()
	r.lock.Lock()
	x := &r.candidate[trailingZeros(r.live.Load())]
	d := x.dependents[0]
	r.lock.Unlock()
	e := vclock.Epoch(d.slot)<<40 | vclock.Epoch(d.from)
	var over atomic.Bool
	done := make(chan bool)
	go func() {
		for !over.Load() {
			r.lock.Lock()
			r.refilter()
			r.lock.Unlock()
		}
		close(done)
	}()
	for range 300_000 {
		if !p.predictor.Tracked(addrOf(0)) {
			t.Error("the candidate's memory is not tracked")
			break
		}
		if !r.mayDepend(e) {
			t.Error("an event of a dependent thread depends on nothing")
			break
		}
	}
	over.Store(true)
	<-done
}

// TestFreedConcurrently frees memory while candidates are created. It's for go test -race: Freed
// takes no lock.
func TestFreedConcurrently(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	var over atomic.Bool
	done := make(chan bool)
	go func() {
		for !over.Load() {
			p.predictor.Freed(addrOf(1), 8)
		}
		close(done)
	}()
	for range 200 {
		p.inTwo(1, false)
		p.inTwo(0, false)
	}
	over.Store(true)
	<-done
}

// A pair of accesses makes maxPerKind candidates and no more.
func TestOneKindIsBounded(t *testing.T) {
	p := newPlay(t, 2)
	a := p.threads[0]
	pair := func() bool {
		a.own = nil
		a.Begin(16, false, a.step())
		p.trace, p.last = p.trace[:0], [nVars]int{} // the same sites in the program
		p.locked(0, 0, func() { p.access(0, read, 0) })
		p.locked(0, 0, func() { p.access(0, write, 0) })
		p.predictor.End(&a.Thread)
		return p.predictor.Live()
	}
	for range maxPerKind {
		if !pair() {
			t.Fatal("there is no candidate")
		}
	}
	r := p.predictor.ensureRegistry()
	r.lockAndDropFreed()
	r.dropAll()
	r.lock.Unlock()
	if pair() {
		t.Error("there is one more candidate")
	}
}

// TestManyKinds predicts more kinds of pairs than are remembered, once each. New kinds are
// predicted all the same.
func TestManyKinds(t *testing.T) {
	p := newPlay(t, 2)
	r := p.predictor.ensureRegistry()
	for i := range 4 * maxKinds {
		pair := &Prediction{First: Access{Code: uintptr(i+1) << 4, Epoch: 1}, Addr: addrOf(0)}
		r.lockAndDropFreed()
		x := r.create(pair, 1, 0, 0)
		if x == nil {
			r.lock.Unlock()
			t.Fatalf("kind %d of %d has no candidate", i, 4*maxKinds)
		}
		x.found = true
		r.found.Add(1)
		r.lock.Unlock()
		if !p.predicted() {
			t.Fatalf("kind %d is not predicted", i)
		}
	}
}

// After maxAge acquires by other threads a candidate is dropped.
func TestOld(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	for range maxAge {
		p.locked(1, 1, func() {})
	}
	if !p.predictor.Live() {
		t.Error("the candidate was dropped too early")
	}
	for range 1 << 11 {
		p.locked(1, 1, func() {})
	}
	if p.predictor.Live() {
		t.Error("the candidate was not dropped")
	}
}

// A transaction with one critical section leaves nothing, and makes no predictor busy.
func TestOneSection(t *testing.T) {
	p := newPlay(t, 1)
	a := p.threads[0]
	a.Begin(16, false, a.step())
	p.locked(0, 0, func() {
		p.access(0, read, 0)
		p.access(0, write, 0)
		if p.predictor.Busy() {
			t.Error("busy inside of the section")
		}
	})
	if p.predictor.Busy() {
		t.Error("busy after the section")
	}
	p.predictor.End(&a.Thread)
	if p.predictor.Busy() {
		t.Error("busy after the transaction")
	}
}

// If more slots depend on a candidate than it has room for, it is dropped.
func TestManyDependents(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	p.predictor.Release(&p.threads[0].Thread, objectAt(0))
	for id := range maxDependents + 1 {
		b := &actor{id: id + 10}
		p.predictor.Fork(&b.Thread, &b.Thread, b.step())
		p.predictor.Acquire(&b.Thread, objectAt(0), b.step())
	}
	if p.predictor.Live() {
		t.Error("a candidate exists, and not all that depends on it is known")
	}
}
