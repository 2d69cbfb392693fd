// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// An accessed variable has what the shadow of the program's memory had: its last write, and the
// reads since.
type accessed struct {
	write  pastAccess
	atomic pastAccess   // the last atomic write since, to a part of it
	reads  []pastAccess // the last of each thread
	last   uint64       // stands for the last write; see [predict.Predictor]
}

// A pastAccess is an access that was made.
type pastAccess struct {
	epoch  vclock.Epoch // 0 for none
	index  uint64
	thread uint32
	pos    uint32
	counts bool // it is one by the program itself
}

// last stands for the last write to a variable.
func (p *Predictions) last(address uintptr) uint64 {
	if v := variableAt(address); uint64(v) < uint64(len(p.cells)) {
		return p.cells[v].last
	}
	return 0
}

// split gives a new variable the past of another, of which it was a part. No prediction is made of
// what was known of the whole.
func (p *Predictions) split(part, from uint32) {
	p.cells = table.Grow(p.cells, max(part, from))
	c := &p.cells[from]
	c.last = p.index + 1
	p.cells[part] = accessed{c.write, c.atomic, append([]pastAccess(nil), c.reads...), c.last}
	p.engine.Freed(variableAddress(from), 8)
}

// access takes an access. If nothing runs that a prediction could be about, it doesn't matter.
func (p *Predictions) access(t *planner, e *event.Event) {
	busy := p.engine.Busy()
	if !busy && p.running == 0 {
		return
	}
	p.cells = table.Grow(p.cells, e.Target)
	c := &p.cells[e.Target]
	me := pastAccess{t.epoch(), p.index, e.Thread, e.Pos, e.Flags&(event.Quiet|event.Hidden) == 0}
	if busy {
		p.tell(t, e, c, &me)
	}
	if e.Op == event.Write {
		c.write, c.atomic, c.reads, c.last = me, pastAccess{}, c.reads[:0], p.index+1
		return
	}
	for i := range c.reads {
		if c.reads[i].thread == e.Thread {
			c.reads[i] = me
			return
		}
	}
	c.reads = append(c.reads, me)
}

// tell tells package predict of an access, before it is noted.
func (p *Predictions) tell(t *planner, e *event.Event, c *accessed, me *pastAccess) {
	address, write := variableAddress(e.Target), e.Op == event.Write
	if p.engine.Tracked(address) {
		if write {
			p.engine.Overwrites(&t.engine, address)
		}
		if me.counts {
			p.engine.Access(&t.engine, address, allBytes, p.accessOf(t, me, write))
		}
	}
	if !write {
		p.reads(t, c)
	}
	if me.counts && p.engine.Open() {
		p.entries(t, c, address, p.accessOf(t, me, write))
	}
	hidden := e.Flags&event.Hidden != 0
	if begin, since, ok := t.engine.Eligible(); ok {
		if me.counts {
			p.pair(t, c, begin, since, address, p.accessOf(t, me, write))
		}
		if !write && !hidden {
			p.engine.ReadInSection(&t.engine, address, c.last)
		}
	}
	if write && !hidden {
		p.engine.WroteInSection(&t.engine)
	}
}

// entries tells package predict of the accesses of other threads that an access conflicts with.
func (p *Predictions) entries(t *planner, c *accessed, address uintptr, me predict.Access) {
	note := func(a *pastAccess, wrote bool) {
		if a.epoch != 0 && a.thread != t.number && a.counts && p.engine.MayEnter(a.epoch) {
			first := p.accessOf(t, a, wrote)
			p.engine.Enter(&t.engine, address, a.epoch, first, me)
		}
	}
	note(&c.write, true)
	if me.Writes {
		for i := range c.reads {
			note(&c.reads[i], false)
		}
	}
}

// pair tells package predict of an access that may be the second of its transaction to a variable.
func (p *Predictions) pair(
	t *planner, c *accessed, begin, since vclock.Epoch, address uintptr, me predict.Access,
) {
	first, wrote, again := c.firstOf(t.number, begin, since)
	rewrites := c.write.thread == t.number && c.write.epoch >= since
	switch {
	case first.epoch == 0 && (!again || me.Writes && !rewrites):
		p.engine.Pair(&t.engine, address, allBytes,
			predict.Access{Goid: me.Goid, Owner: me.Owner}, me)
	case first.epoch != 0 && first.counts && !again:
		p.engine.Pair(&t.engine, address, allBytes, p.accessOf(t, &first, wrote), me)
	}
}

// reads tells package predict whose writes a read of a variable depends on.
func (p *Predictions) reads(t *planner, c *accessed) {
	for _, w := range [...]*pastAccess{&c.write, &c.atomic} {
		if w.epoch != 0 && w.thread != t.number {
			p.engine.ReadsFrom(&t.engine, w.epoch, t.epoch())
		}
	}
}

// allBytes are those of a variable: each access is to all of them.
const allBytes = 1

// firstOf is an access that a thread has made in its transaction, from the epoch begin on, before
// the section that it is in, which began at since. Again is whether the thread has accessed the
// variable in the section.
func (c *accessed) firstOf(
	thread uint32, begin, since vclock.Epoch,
) (first pastAccess, wrote, again bool) {
	note := func(a *pastAccess, isWrite bool) {
		switch {
		case a.epoch == 0 || a.thread != thread:
		case a.epoch >= since:
			again = true
		case a.epoch >= begin && first.epoch == 0:
			first, wrote = *a, isWrite
		}
	}
	note(&c.write, true)
	for i := range c.reads {
		note(&c.reads[i], false)
	}
	return first, wrote, again
}

// accessOf is an access as package predict has it. Where that has an epoch, this has an index.
func (p *Predictions) accessOf(t *planner, a *pastAccess, writes bool) predict.Access {
	return predict.Access{
		Epoch: vclock.Epoch(a.index), Goid: goid(a.thread), Site: a.pos,
		PC: uintptr(p.program.PC(a.pos)), Writes: writes, Owner: p.test(t.number),
	}
}

// test is the number of the test that a thread belongs to.
func (p *Predictions) test(thread uint32) uintptr {
	name := p.program.Test(thread)
	n, ok := p.tests[name]
	if !ok {
		n = uintptr(len(p.tests) + 1)
		p.tests[name] = n
	}
	return n
}

// atomic takes an atomic operation on a part of a variable that is accessed plainly as well.
func (p *Predictions) atomic(t *planner, s *trace.CallStep) {
	if t.carrier || !p.engine.Busy() && p.running == 0 {
		return
	}
	p.cells = table.Grow(p.cells, s.Object)
	c, address := &p.cells[s.Object], variableAddress(s.Object)
	if s.Kind == event.AtomicLoad {
		p.reads(t, c)
		return
	}
	if p.engine.Tracked(address) {
		p.engine.Overwrites(&t.engine, address)
	}
	// The operation comes before the event with this index. Its own is that of no write.
	c.atomic = pastAccess{epoch: t.epoch(), index: p.index, thread: t.number}
	c.last = 1<<63 | p.index
}

// collect tells of what was found.
func (p *Predictions) collect() {
	for p.engine.Found() {
		f, ok := p.engine.Collect()
		if !ok {
			return
		}
		u, v := variableAt(f.FirstAddr), variableAt(f.Addr)
		p.found(Prediction{
			Transaction: p.transactionOf(&f.First, u),
			Entered:     p.transactionOf(&f.Entry, u), Left: p.transactionOf(&f.Other, v),
			First: stepOf(&f.First, u), Entry: stepOf(&f.Entry, u),
			Other: stepOf(&f.Other, v), Second: stepOf(&f.Second, v),
			ValuesDiffer: f.ValuesDiffer, OtherReads: f.OtherReads,
		})
	}
}

// stepOf is an access of a prediction as a step of the trace.
func stepOf(a *predict.Access, variable uint32) event.Step {
	op := event.Read
	if a.Writes {
		op = event.Write
	}
	return event.Step{Index: uint64(a.Epoch), Event: event.Event{
		Op: op, Thread: uint32(a.Goid - 1), Target: variable, Pos: a.Site,
	}}
}

// transactionOf is the transaction that an access is part of.
func (p *Predictions) transactionOf(a *predict.Access, variable uint32) event.Transaction {
	s := stepOf(a, variable)
	if t := p.threads[s.Event.Thread]; t != nil && t.now.Marked && s.Index >= t.now.First {
		return t.now
	}
	return p.ended.of(&s)
}
