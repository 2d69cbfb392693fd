// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"github.com/commutego/commute/internal/event"
)

// This file is for streams that say more than events do: which locks readers share, say. Their
// steps are taken one by one, in place of [Checker.Event].

// At sets the index in the trace of the event that the next steps belong to.
func (c *Checker) At(index uint64) { c.index = index }

// Access takes an access of an item. An item is 2v for a variable v and 2o+1 for an object o. The
// kind is 0 for a read of a variable and 1 for a write; for an object it is the access point.
func (c *Checker) Access(e *event.Event, item, kind uint32) {
	c.access(c.thread(e), e, item, kind)
}

// Accesses takes an access of two items in one step; see Access. The access is to a word of the
// first item, at the given offset: see Split.
func (c *Checker) Accesses(e *event.Event, first, second, kind uint32, offset uint16) {
	th := c.thread(e)
	at := th.pos
	c.access(th, e, first, kind|atomically|(uint32(offset)+1)<<wordShift)
	if th.pos == at {
		c.access(th, e, second, kind)
		return
	}
	th.pos = at
	c.access(th, e, second, kind)
	if th.pos == at && th.now != nil {
		th.now.blurred = true // the second item has positions that are further apart now
	}
	th.pos = at + 1
}

// Take takes the acquire of a lock. Readers exclude writers only.
func (c *Checker) Take(e *event.Event, lock uint32, read bool) {
	own := *e
	own.Op, own.Target = event.Acquire, lock
	c.acquire(c.thread(&own), &own, read)
}

// Drop takes the release of a lock.
func (c *Checker) Drop(e *event.Event, lock uint32) {
	own := *e
	own.Op, own.Target = event.Release, lock
	c.release(c.thread(&own), &own)
}

// Order takes a step that makes must-order, as the given events would.
func (c *Checker) Order(e *event.Event, in, out bool, by ...event.Event) {
	own := *e
	own.Op = event.Fork // it doesn't begin a stretch
	c.orders(c.thread(&own), e, in, out)
	for i := range by {
		c.order.Order(&by[i])
	}
}

// OnlyForks says that of all must-order between threads only forks and joins are conflicts. The
// rest only restricts schedules.
func (c *Checker) OnlyForks() { c.forks = true }

// UntilCycle makes the schedules of method View go on until conflicts make a cycle. The values of
// reads may show much earlier that there will be a cycle.
func (c *Checker) UntilCycle() { c.cycles = true }

// crosses reports whether a step is a conflict.
func (a *analysis) crosses(s *step) bool {
	return !a.forks || s.op.Op == event.Fork || s.op.Op == event.Join
}

// forces reports whether an operation p, which comes before o of lane l in must-order, is in
// conflict with it by that.
func (s *schedule) forces(p, o *op, l *lane) bool {
	e := &p.step.Event
	return !s.forks || e.Op == event.Fork && s.threads[l.thread].number == e.Target ||
		o.step.Event.Op == event.Join && o.step.Event.Target == e.Thread
}

// Doubts list facts on which a proof may not rely.
type Doubts struct {
	Locks  map[uint32]bool        // that may not exclude
	Items  map[uint32]bool        // accesses of these may be missing
	Broken map[uint64]bool        // transactions, by their first event, that are not complete
	Paths  bool                   // no proof may rely on accesses of other transactions
	Counts func(item uint32) bool // whether accesses of the item are conflicts at all
}

// A Verdict is the result of Prove for a transaction.
type Verdict uint8

// The verdicts: proven, or why it isn't.
const (
	Proven   Verdict = iota
	Open             // there is no proof
	Running          // it is not whole
	Freed            // a lock of it may not exclude
	Several          // a call of it may take effect at several times
	Spent            // there may be a proof: the budget of searches was used up
	Verdicts         // how many there are
)

// Prove calls tell for each transaction of the trace, which is over, with the verdict and the
// number of transactions like it.
func (c *Checker) Prove(m Method, d *Doubts, tell func(t event.Transaction, n uint64, v Verdict)) {
	c.close()
	for _, item := range c.owners.items {
		if !d.Counts(item) {
			c.owners.forget(item)
		}
	}
	a := c.analyse()
	for t, list := range a.nodes {
		for i := range list {
			n := &list[i]
			if !n.marked || n.at != n.id.First {
				continue // the twin has the same verdict
			}
			v := d.about(n.unit)
			if v == Proven {
				v = a.proves(m, nodeID{uint32(t), uint32(i)}, d.Paths)
			}
			tell(n.id, n.count, v)
		}
	}
}

// about is what is doubted of a transaction; Proven if nothing is.
func (d *Doubts) about(u *unit) Verdict {
	if d.Broken[u.id.First] {
		return Running
	}
	for i := range u.sections {
		if d.Locks[u.sections[i].lock] {
			return Freed
		}
	}
	for i := range u.accesses {
		if d.Items[u.accesses[i].item] {
			return Several
		}
	}
	return Proven
}

// proves is Proven if a method proves a transaction, or else Open or Spent. It looks for no
// schedule. View is as Conflict, since what a read sees isn't known where accesses are left out.
func (a *analysis) proves(m Method, n nodeID, alone bool) Verdict {
	u := a.nodes[n.thread][n.number].unit
	if m == Reduction {
		return proven(a.reduce(n.thread, u) == nil)
	}
	switch {
	case !a.common(n.thread, u, nil).empty():
		return Proven
	case alone:
		return Open
	case a.budget <= 0:
		return Spent
	case m == Block:
		alarm, proves := a.block(n)
		if alarm == nil && !proves {
			return Spent
		}
		return proven(proves)
	}
	return a.noCycle(n)
}

func proven(is bool) Verdict {
	if is {
		return Proven
	}
	return Open
}

// noCycle is Proven if the second condition holds.
func (a *analysis) noCycle(n nodeID) Verdict {
	s := newSearch(a, n.thread, a.nodes[n.thread][n.number].unit, nil)
	defer s.pay()
	found := false
	done := s.run(func(_, _ crossing) bool {
		found = true
		return true
	})
	if !done && !found {
		return Spent
	}
	return proven(!found)
}
