// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// begin begins a transaction.
func (p *play) begin(thread int) {
	a := p.threads[thread]
	transactions++
	a.in, a.own = transactions, nil
	a.Begin(uintptr(transactions)<<4, false, a.step())
}

func (p *play) end(thread int) {
	a := p.threads[thread]
	p.predictor.End(&a.Thread)
	a.in = 0
	a.step()
}

// in makes one access in a critical section of the lock of the variable's number.
func (p *play) in(thread, op, v int) {
	p.locked(thread, v, func() { p.access(thread, op, v) })
}

// across makes a transaction with an access to variable 0, and one to variable 1, in two sections.
func (p *play) across(thread, first, second int) {
	p.begin(thread)
	p.in(thread, first, 0)
	p.in(thread, second, 1)
	p.end(thread)
}

// wantPrediction wants one, of two variables or of one.
func (p *play) wantPrediction(want bool, what string) {
	p.t.Helper()
	f, ok := p.predictor.Collect()
	if ok != want {
		p.t.Errorf("%s: predicted: %v, want %v", what, ok, want)
	}
	if ok && (f.FirstAddr != addrOf(0) || f.Addr != addrOf(1) || f.Entry.Goid != f.Other.Goid) {
		p.t.Errorf("%s: predicted %+v", what, f)
	}
}

// TestTwoVariables has another thread access both variables, each way.
func TestTwoVariables(t *testing.T) {
	for _, x := range []struct {
		what                        string
		first, second, entry, other int
		want                        bool
	}{
		{"reads beside writes", read, read, write, write, true},
		{"writes beside reads", write, write, read, read, true},
		{"each reads one", write, read, read, write, true},
		{"reads beside reads", read, read, read, read, false},
		{"no conflict with the first", read, write, read, write, false},
		{"no conflict with the second", write, read, write, read, false},
	} {
		p := newPlay(t, 2)
		p.across(0, x.first, x.second)
		p.in(1, x.entry, 0)
		p.in(1, x.other, 1)
		p.wantPrediction(x.want, x.what)
		p.finish()
	}
}

// The order of the other's accesses matters, but in a transaction.
func TestOtherBeforeEntry(t *testing.T) {
	for _, together := range []bool{false, true} {
		p := newPlay(t, 2)
		p.across(0, read, read)
		if together {
			p.begin(1)
		}
		p.in(1, write, 1)
		p.in(1, write, 0)
		p.wantPrediction(together, "the other comes first")
		p.finish()
	}
}

// Two transactions of one thread are not one.
func TestOtherInEarlierTransaction(t *testing.T) {
	p := newPlay(t, 2)
	p.across(0, read, read)
	for _, v := range []int{1, 0} {
		p.begin(1)
		p.in(1, write, v)
		p.end(1)
	}
	p.wantPrediction(false, "in two transactions")
}

// The accesses of two threads are not those of one.
func TestEntryByAnother(t *testing.T) {
	p := newPlay(t, 3)
	p.across(0, read, read)
	p.in(1, write, 0)
	p.in(2, write, 1)
	p.wantPrediction(false, "the entry is another thread's")
}

// What has seen the end of the transaction is no entry.
func TestDependentEntry(t *testing.T) {
	p := newPlay(t, 2)
	p.across(0, read, write)
	p.in(1, read, 1)
	p.in(1, write, 0)
	p.in(1, write, 1)
	p.wantPrediction(false, "it depends on the transaction")
}

// A section that writes what it has read lets both readers and writers come before.
func TestReadAndWritten(t *testing.T) {
	for _, other := range []int{read, write} {
		p := newPlay(t, 2)
		p.begin(0)
		p.in(0, write, 0)
		p.locked(0, 1, func() {
			p.access(0, read, 1)
			p.access(0, write, 1)
		})
		p.end(0)
		p.in(1, read, 0)
		p.in(1, other, 1)
		p.wantPrediction(true, "the second section writes what it has read")
		p.finish()
	}
}

// A section that looks again, and then writes, has not been misled by what it has read.
func TestLooksAgain(t *testing.T) {
	for _, again := range []bool{false, true} {
		p := newPlay(t, 2)
		p.begin(0)
		p.in(0, read, 0)
		p.locked(0, 1, func() {
			p.access(0, read, 1)
			if again {
				p.access(0, read, 0)
			}
			p.access(0, write, 2)
		})
		p.end(0)
		p.locked(1, 1, func() {
			p.access(1, write, 0)
			p.access(1, write, 1)
		})
		p.wantPrediction(!again, "it looks again")
		p.finish()
	}
}

// A read that has taken the place of First doesn't hide it, unless the memory was freed.
func TestDisplaced(t *testing.T) {
	for _, freed := range []uint32{0, 1} {
		p := newPlay(t, 2)
		p.across(0, read, read)
		first, b := p.trace[0].access(), p.threads[1]
		p.predictor.Displace(addrOf(0), 0x0f, 0, first)
		me := Access{Epoch: b.step(), Goid: 1, Writes: true}
		p.predictor.EnterDisplaced(&b.Thread, addrOf(0), 0xf0, freed, me) // other bytes
		p.in(1, write, 1)
		p.wantPrediction(false, "other bytes")
		p.predictor.EnterDisplaced(&b.Thread, addrOf(0), 0x08, freed, me)
		p.in(1, write, 1)
		p.wantPrediction(freed == 0, "the bytes that were read")
		p.finish()
	}
}

// Pairs leave places to open candidates, and these to pairs.
func TestPlaces(t *testing.T) {
	count := func(set uint32) (n int) {
		for ; set != 0; set &= set - 1 {
			n++
		}
		return n
	}
	p := newPlay(t, 1)
	r := p.predictor.ensureRegistry()
	kind := uintptr(0)
	create := func(n int, epoch vclock.Epoch) {
		for range n {
			kind++
			r.lockAndDropFreed()
			r.create(&Prediction{First: Access{Code: kind << 4, Epoch: epoch}}, 1, 0, 0)
			r.lock.Unlock()
		}
	}
	for _, x := range []struct {
		pairs, open int // that are made
		live, left  int // and what there is then, and how many of that are open
	}{
		{0, 40, maxOpen, maxOpen}, {20, 0, maxCandidates, 12}, {40, 0, maxCandidates, minOpen},
		{0, 40, maxCandidates, minOpen}, {1, 1, maxCandidates, minOpen},
	} {
		create(x.pairs, 1)
		create(x.open, 0)
		if live, open := count(r.live.Load()), count(r.open.Load()); live != x.live ||
			open != x.left {
			t.Errorf("after %d pairs and %d open ones: %d candidates, %d open, want %d and %d",
				x.pairs, x.open, live, open, x.live, x.left)
		}
	}
	r.lock.Lock()
	r.dropAll()
	r.lock.Unlock()
	create(maxCandidates, 1)
	create(1, 0)
	if n := count(r.open.Load()); n != 1 {
		t.Errorf("among pairs alone there are %d open ones, want 1", n)
	}
}
