// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"sync/atomic"
	"testing"
)

// play has a script do what is given, event by event: an actor, what it does, and to what.
type play struct {
	*script
	t *testing.T
}

func newPlay(t *testing.T, actors int) *play {
	p := &play{newScript(1), t}
	p.threads = nil
	for id := range actors {
		a := &actor{id: id}
		predictor.Fork(&a.Thread, &a.Thread, a.step())
		p.threads = append(p.threads, a)
	}
	t.Cleanup(p.finish)
	return p
}

func (p *play) access(who, op, v int) {
	a := p.threads[who]
	e := event{thread: who, op: op, arg: v, t: a.in, straight: a.straight, rf: -1}
	p.script.access(a, &e, uint32(len(p.trace)))
	p.add(e)
}

func (p *play) locked(who, l int, do func()) {
	a := p.threads[who]
	if predictor.Lock(&a.Thread, lockOf(l), false, a.step()) {
		predictor.BeginSection(&a.Thread, a.step())
	}
	do()
	predictor.Unlock(&a.Thread, lockOf(l), false, true, a.step())
}

// inTwo has a transaction read and then write a variable, in two sections.
func (p *play) inTwo(who int, straight bool) {
	a := p.threads[who]
	a.in, a.straight = who+1, straight
	a.own = nil
	a.Begin(uintptr(who+1)<<4, straight, a.step())
	p.locked(who, 0, func() { p.access(who, read, 0) })
	p.locked(who, 0, func() { p.access(who, write, 0) })
	predictor.End(&a.Thread)
	a.in, a.straight = 0, false
}

func (p *play) predicted() bool {
	_, ok := predictor.Collect()
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
	for _, straight := range []bool{false, true} {
		p := newPlay(t, 2)
		p.inTwo(0, straight)
		p.inTwo(1, straight)
		if got := p.predicted(); got != straight {
			t.Errorf("straight %v: predicted: %v", straight, got)
		}
		p.finish()
	}
}

// Another lock doesn't keep anybody out, but its holder must let it go if it is needed.
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
	predictor.Freed(addrOf(1), 8)
	if !predictor.Tracked(addrOf(0)) {
		t.Fatal("other memory was freed")
	}
	predictor.Freed(addrOf(0)-64, 128)
	p.locked(1, 0, func() { p.access(1, write, 0) })
	if p.predicted() {
		t.Error("predicted for memory that is another's")
	}
}

// TestFreedConcurrently frees memory while ghosts are born. It's for go test -race: who frees has
// no lock.
func TestFreedConcurrently(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	var over atomic.Bool
	done := make(chan bool)
	go func() {
		for !over.Load() {
			predictor.Freed(addrOf(1), 8)
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

// Of one pair of accesses, so many ghosts live and no more.
func TestWornOut(t *testing.T) {
	p := newPlay(t, 2)
	a := p.threads[0]
	pair := func() bool {
		a.own = nil
		a.Begin(16, false, a.step())
		p.trace, p.last = p.trace[:0], [nVars]int{} // the same places in the program
		p.locked(0, 0, func() { p.access(0, read, 0) })
		p.locked(0, 0, func() { p.access(0, write, 0) })
		predictor.End(&a.Thread)
		return predictor.Live()
	}
	for range maxPerKind {
		if !pair() {
			t.Fatal("there is no ghost")
		}
	}
	r := predictor.ensureRegistry()
	r.lockAndDropFreed()
	r.dropAll()
	r.lock.Unlock()
	if pair() {
		t.Error("there is one more ghost")
	}
}

// TestManyKinds has more kinds of pairs be told, once each, than are remembered: new ones are told all the same.
func TestManyKinds(t *testing.T) {
	p := newPlay(t, 2)
	r := predictor.ensureRegistry()
	for i := range 4 * maxKinds {
		pair := &Prediction{First: Access{Code: uintptr(i+1) << 4}, Addr: addrOf(0)}
		r.lockAndDropFreed()
		x := r.create(pair, 1)
		if x == nil {
			r.lock.Unlock()
			t.Fatalf("kind %d of %d has no ghost", i, 4*maxKinds)
		}
		x.found = true
		r.found.Add(1)
		r.lock.Unlock()
		if !p.predicted() {
			t.Fatalf("kind %d is not told", i)
		}
	}
}

// So many acquires by others end a ghost.
func TestOld(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	for range maxAge {
		p.locked(1, 1, func() {})
	}
	if !predictor.Live() {
		t.Error("the ghost has gone already")
	}
	for range 1 << 11 {
		p.locked(1, 1, func() {})
	}
	if predictor.Live() {
		t.Error("the ghost lives still")
	}
}

// A transaction with one section leaves nothing, and makes nothing busy.
func TestOneSection(t *testing.T) {
	p := newPlay(t, 1)
	a := p.threads[0]
	a.Begin(16, false, a.step())
	p.locked(0, 0, func() {
		p.access(0, read, 0)
		p.access(0, write, 0)
		if predictor.Busy() {
			t.Error("busy inside of the section")
		}
	})
	if predictor.Busy() {
		t.Error("busy after the section")
	}
	predictor.End(&a.Thread)
	if predictor.Busy() {
		t.Error("busy after the transaction")
	}
}

// More slots than there is room for: the ghost goes.
func TestManyDependents(t *testing.T) {
	p := newPlay(t, 2)
	p.inTwo(0, false)
	predictor.Release(&p.threads[0].Thread, objectAt(0))
	for id := range maxDependents + 1 {
		b := &actor{id: id + 10}
		predictor.Fork(&b.Thread, &b.Thread, b.step())
		predictor.Acquire(&b.Thread, objectAt(0), b.step())
	}
	if predictor.Live() {
		t.Error("a ghost lives though not all that depends on it is known")
	}
}
