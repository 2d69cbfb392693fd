// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// trueLow is the least entry of u's column, and by how many u is reached.
func (c *Checker) trueLow(u *thread) (low, reachers uint32) {
	low = none
	if u.slot >= 0 {
		low, reachers = c.running[u.slot].number, 1
	}
	for s := range c.running {
		if n := u.column.at(int32(s)); n != 0 {
			low = min(low, n)
			reachers++
		}
	}
	return low, reachers
}

// TestInvariants checks what the package comment says of low, and each row's list of what it
// reaches to be complete.
func TestInvariants(t *testing.T) {
	for seed := range uint64(3000) {
		tr := tracegen.Random(seed)
		c := New(tr.Relation)
		for i := range tr.Events {
			c.Event(&tr.Events[i])
			for k := range c.threads {
				u := &c.threads[k]
				low, reachers := c.trueLow(u)
				if u.low > low || reachers != u.reachers || reachers == 0 && u.low != none {
					t.Fatalf("trace %d, event %d, thread %d: low is %d and reachers %d, want at "+
						"most %d and %d",
						seed, i, k, u.low, u.reachers, low, reachers)
				}
				for s := range c.running {
					n := u.column.at(int32(s))
					if (n != 0) != slices.Contains(c.running[s].reached, uint32(k)) {
						t.Fatalf("trace %d, event %d: slot %d reaches thread %d from %d on, and "+
							"its list is %v",
							seed, i, s, k, n, c.running[s].reached)
					}
				}
			}
		}
	}
}

// TestLowRises has a transaction end that kept low small, and then an edge that makes low exact.
func TestLowRises(t *testing.T) {
	c := New(nil)
	steps := tracegen.Parse("0> 0wa 2ra 2wb 1> 1wc 2rc 0< 3rb")
	for i := range steps {
		if i == len(steps)-1 {
			if low, _ := c.trueLow(&c.threads[2]); c.threads[2].low >= low {
				t.Fatalf("low is %d before, and should be %d", c.threads[2].low, low)
			}
		}
		c.Event(&steps[i])
	}
	if low, _ := c.trueLow(&c.threads[2]); c.threads[2].low != low {
		t.Errorf("low is %d, want %d", c.threads[2].low, low)
	}
}

// TestUnaryEventsShareNumbers wants only events that add to rows to take numbers.
func TestUnaryEventsShareNumbers(t *testing.T) {
	c := New(nil)
	for _, e := range tracegen.Parse("1> 1wx 2wy 2wz 2rx 2rx 2ry 3ry 2wz 2rx 1wx 2rx") {
		c.Event(&e)
	}
	if n := c.threads[2].now.number(); n != 2 {
		t.Errorf("thread 2 has come to number %d, want 2: the first read of x is the only event "+
			"by which it is reached", n)
	}
}

// TestDropsReaders has many readers, of which a running transaction reaches few.
func TestDropsReaders(t *testing.T) {
	c := New(nil)
	read := func(thread uint32) { c.Event(&event.Event{Op: event.Read, Thread: thread, Target: 1}) }
	c.Event(&event.Event{Op: event.Begin, Thread: 0})
	for thread := range uint32(100) {
		read(thread)
	}
	if more := c.vars[1].more; more != 0 && len(c.lists[more]) > 1 {
		t.Errorf("%d readers are remembered beside one", len(c.lists[more]))
	}
	if c.vars[1].one != c.threads[0].now && (c.vars[1].more == 0 ||
		!slices.Contains(c.lists[c.vars[1].more], c.threads[0].now)) {
		t.Error("the running reader is forgotten")
	}
}

// TestAppliedReplaces has threads that share entries of the table of fact (5).
func TestAppliedReplaces(t *testing.T) {
	violations := 0
	for seed := range uint64(100) {
		tr := tracegen.Sized(seed, 300)
		for i := range tr.Events {
			e := &tr.Events[i]
			e.Thread *= maxApplied
			if e.Op == event.Fork || e.Op == event.Join {
				e.Target *= maxApplied
			}
		}
		v := velodrome.New(tr.Relation)
		if err := agree(tr, New(tr.Relation), v); err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		violations += len(v.Cycle().Edges)
	}
	if violations == 0 {
		t.Error("no violation in any trace")
	}
}

// TestManyRunAtOnce has a thousand transactions that run all the time, before those that matter.
func TestManyRunAtOnce(t *testing.T) {
	const idle = 1000
	violations := 0
	for seed := range uint64(100) {
		tr := tracegen.Sized(seed, 300)
		var list []event.Event
		for thread := range uint32(idle) {
			list = append(list, event.Event{Op: event.Begin, Thread: thread})
		}
		for _, e := range tr.Events {
			e.Thread += idle
			if e.Op == event.Fork || e.Op == event.Join {
				e.Target += idle
			}
			list = append(list, e)
		}
		tr.Events = list
		v := velodrome.New(tr.Relation)
		if err := agree(tr, New(tr.Relation), v); err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		violations += len(v.Cycle().Edges)
	}
	if violations == 0 {
		t.Error("no violation in any trace")
	}
}

// TestPanicsWhenNumbersEnd has a thread come to its last number.
func TestPanicsWhenNumbersEnd(t *testing.T) {
	c := New(nil)
	c.Event(&event.Event{Op: event.Begin})
	c.Event(&event.Event{Op: event.End})
	c.threads[0].now = newTxnRef(0, none-1)
	defer func() {
		if recover() == nil {
			t.Error("the number after the last was given away")
		}
	}()
	c.Event(&event.Event{Op: event.Begin})
}

// TestAppliedKeepsAll wants the table of fact (5) to drop nothing before it is full.
func TestAppliedKeepsAll(t *testing.T) {
	var th thread
	for round := range uint32(3) {
		for u := range uint32(100) {
			th.setApplied(newTxnRef(u, 10+round))
		}
		for u := range uint32(100) {
			if !th.isApplied(newTxnRef(u, 10+round)) || !th.isApplied(newTxnRef(u, 3)) ||
				th.isApplied(newTxnRef(u, 11+round)) {
				t.Fatalf("round %d: what is known of thread %d is not what was learned", round, u)
			}
		}
	}
	if n := len(th.applied); n != 128 {
		t.Errorf("the table has %d entries for 100 threads", n)
	}
	if th.isApplied(newTxnRef(100, 1)) {
		t.Error("a thread is known of which nothing was learned")
	}
	th = thread{}
	th.setApplied(newTxnRef(0, 7))
	th.setApplied(newTxnRef(4, 7)) // has the table grow
	if !th.isApplied(newTxnRef(0, 7)) || !th.isApplied(newTxnRef(4, 7)) {
		t.Error("what was known is forgotten when the table grows")
	}
}
