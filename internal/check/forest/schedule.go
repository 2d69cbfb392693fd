// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"cmp"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Limits of a schedule: what does not fit is given up.
const (
	maxLanes = 6
	maxUnits = 8
	maxOps   = 1 << 14
)

// A schedule looks for an interleaving of a few units that isn't serializable: the cut search. A
// cut says how far each thread has come, so it says what is held and which conflicts there were,
// but not in which order: the relation of units says that. For two units this is section 6.2 of
// the paper, exactly.
type schedule struct {
	*analysis
	lanes  []lane
	units  int
	seen   map[cut]bool
	budget int
	trail  []event.Step
}

// A lane is what one thread does.
type lane struct {
	thread uint32 // in analysis.threads
	number uint32 // in the trace
	ops    []op
	holds  [][]held // after so many operations
}

// An op is an operation of a lane.
type op struct {
	unit    int // its number in the schedule
	access  *access
	during  []held           // what the thread holds meanwhile
	stretch uint32           // of the thread
	needs   [maxLanes]uint16 // operations of other lanes that come before in must-order
	after   []after
	step    event.Step
}

// An after is a unit that an operation comes after, once so many operations of a lane are done.
type after struct {
	unit, lane int
	done       uint16
}

// A cut is a state. The relation has a bit for each ordered pair of units: 8 times the earlier and
// the later.
type cut struct {
	done     [maxLanes]uint16
	relation uint64
}

// schedule looks for an interleaving of parts of threads. Whether there is one is known if done.
func (a *analysis) schedule(parts map[uint32]span, budget int) (found []event.Step, done bool) {
	s, ok := a.lanes(parts, budget)
	if !ok {
		return nil, false
	}
	if s.visit(cut{}, 0) {
		return s.trail, true
	}
	return nil, s.budget >= 0
}

// lanes is what parts of threads do, unless that is too much.
func (a *analysis) lanes(parts map[uint32]span, budget int) (s *schedule, ok bool) {
	s = &schedule{analysis: a, seen: make(map[cut]bool), budget: budget}
	var threads []uint32
	for t, p := range parts {
		threads = append(threads, t)
		s.units += int(p.hi - p.lo)
	}
	if len(threads) > maxLanes || s.units > maxUnits {
		return nil, false
	}
	ops := 0
	for t, p := range parts {
		for n := p.lo; n < p.hi; n++ {
			u := a.nodes[t][n].unit
			ops += len(u.accesses) + 2*len(u.sections) + len(u.steps)
		}
	}
	if ops > maxOps {
		return nil, false
	}
	a.budget -= ops
	slices.Sort(threads)
	unit := 0
	for _, t := range threads {
		l := lane{thread: t, number: a.threads[t].number}
		for n := parts[t].lo; n < parts[t].hi; n++ {
			l.add(&a.nodes[t][n], unit)
			unit++
		}
		s.lanes = append(s.lanes, l)
	}
	for i := range s.lanes {
		s.lanes[i].settle()
		s.need(i)
	}
	s.relate()
	return s, true
}

// add appends a node's operations. What is held when the unit begins is taken then.
func (l *lane) add(n *node, unit int) {
	if !n.marked {
		e := &n.accesses[0]
		l.ops = append(l.ops, op{unit: unit, access: e, during: e.frame.held,
			stretch: e.frame.stretch, step: e.event(l.number)})
		return
	}
	var list []posOp
	begin := event.Step{Index: n.id.First,
		Event: event.Event{Op: event.Begin, Thread: l.number, Pos: n.id.Pos}}
	var now []held
	for i := range n.sections {
		s := &n.sections[i]
		if s.before {
			now = append(now, s.held)
		} else {
			list = append(list, posOp{pos: s.first, take: &s.held,
				op: op{step: s.begin.event(event.Acquire, l.number, s.lock)}})
		}
		if s.ended {
			list = append(list, posOp{pos: s.last, drop: &s.held,
				op: op{step: s.end.event(event.Release, l.number, s.lock)}})
		}
	}
	for i := range n.accesses {
		e := &n.accesses[i]
		list = append(list, posOp{pos: e.pos, op: op{access: e, stretch: e.frame.stretch,
			step: e.event(l.number)}})
	}
	for i := range n.steps {
		p := &n.steps[i]
		list = append(list, posOp{pos: p.pos, op: op{stretch: p.stretch,
			step: event.Step{Index: p.index, Event: p.op}}, step: p})
	}
	slices.SortFunc(list, func(x, y posOp) int { return cmp.Compare(x.pos, y.pos) })
	l.ops = append(l.ops, op{unit: unit, stretch: n.begin, during: now, step: begin})
	stretch := n.begin
	for _, p := range list {
		if p.take != nil {
			now = append(slices.Clip(now), *p.take)
		}
		p.op.during = now
		if p.drop != nil {
			now = slices.DeleteFunc(slices.Clone(now), func(h held) bool {
				return h.serial == p.drop.serial
			})
		}
		if p.step != nil && p.step.in {
			stretch = min(p.step.stretch+1, n.end)
		} else if p.step != nil {
			stretch = p.step.stretch
		}
		p.op.unit, p.op.stretch = unit, max(stretch, p.op.stretch)
		l.ops = append(l.ops, p.op)
		if p.step != nil {
			stretch = min(p.step.stretch+1, n.end)
		}
	}
	l.ops = append(l.ops, op{unit: unit, during: now, stretch: n.end, step: event.Step{
		Index: n.lastIndex, Event: event.Event{Op: event.End, Thread: l.number}}})
}

// A posOp is an operation at a position of a unit, and the lock that it takes or drops.
type posOp struct {
	op
	pos        uint32
	take, drop *held
	step       *step
}

func (e *access) event(thread uint32) event.Step {
	x := event.Event{Op: event.Read, Thread: thread, Target: e.item / 2, Pos: e.src}
	switch {
	case e.item&1 == 1:
		x.Op, x.Point = event.Touch, e.kind
	case e.kind == 1:
		x.Op = event.Write
	}
	return event.Step{Index: e.index, Event: x}
}

func (p place) event(kind event.Kind, thread, target uint32) event.Step {
	return event.Step{Index: p.index,
		Event: event.Event{Op: kind, Thread: thread, Target: target, Pos: p.src}}
}

// settle finds what is held after each operation: the sections that the next one is in, too.
func (l *lane) settle() {
	l.holds = make([][]held, len(l.ops)+1)
	for i := 1; i < len(l.ops); i++ {
		for _, h := range l.ops[i].during {
			if slices.ContainsFunc(l.ops[i-1].during, func(o held) bool {
				return o.serial == h.serial
			}) {
				l.holds[i] = append(l.holds[i], h)
			}
		}
	}
}

// need finds what of other lanes comes before each operation of a lane.
func (s *schedule) need(i int) {
	if !s.ordered {
		return
	}
	l := &s.lanes[i]
	var from [maxLanes]int // what is before an operation is before the next
	for k := range l.ops {
		o := &l.ops[k]
		for j := range s.lanes {
			if m := &s.lanes[j]; j != i {
				n := from[j]
				for n < len(m.ops) && s.before(m.thread, m.ops[n].stretch, l.thread, o.stretch) {
					n++
				}
				o.needs[j], from[j] = uint16(n), n
			}
		}
	}
}

// visit goes on from a cut, and reports whether that leads to a cycle. The lane that ran last goes
// on first.
func (s *schedule) visit(c cut, last int) bool {
	if s.seen[c] {
		return false
	}
	s.analysis.budget -= perState
	if s.budget--; s.budget < 0 {
		return false
	}
	s.seen[c] = true
	for k := range s.lanes {
		i := (last + k) % len(s.lanes)
		if !s.enabled(c, i) {
			continue
		}
		next, cyclic := s.do(c, i)
		n := len(s.trail)
		s.trail = append(s.trail, s.lanes[i].ops[c.done[i]].step)
		if cyclic || s.visit(next, i) {
			return true
		}
		s.trail = s.trail[:n]
	}
	return false
}

// enabled reports whether the next operation of a lane can be done.
func (s *schedule) enabled(c cut, i int) bool {
	l := &s.lanes[i]
	k := int(c.done[i])
	if k == len(l.ops) {
		return false
	}
	o := &l.ops[k]
	for j := range s.lanes {
		if j == i {
			continue
		}
		if c.done[j] < o.needs[j] {
			return false
		}
		for _, h := range o.during {
			if slices.ContainsFunc(s.lanes[j].holds[c.done[j]], h.excludes) {
				return false
			}
		}
	}
	return true
}

// do does the next operation of a lane: it comes after what conflicts with it, and after what comes
// before it in must-order.
func (s *schedule) do(c cut, i int) (next cut, cyclic bool) {
	o := &s.lanes[i].ops[c.done[i]]
	for _, a := range o.after {
		if c.done[a.lane] >= a.done {
			c.relation = related(c.relation, a.unit, o.unit)
		}
	}
	c.done[i]++
	const diagonal = 0x8040201008040201
	return c, c.relation&diagonal != 0
}

// related is a transitive relation with one more pair.
func related(r uint64, from, to int) uint64 {
	if r>>(8*from+to)&1 != 0 {
		return r
	}
	after := r>>(8*to)&0xff | 1<<to
	for u := range maxUnits {
		if u == from || r>>(8*u+from)&1 != 0 {
			r |= after << (8 * u)
		}
	}
	return r
}
