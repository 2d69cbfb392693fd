// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"slices"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A least has the steps of a trace in the least order.
type least struct {
	forest  *forest.Checker
	doubts  forest.Doubts
	threads []leastThread
	locks   []leastLock
	counts  []bool // by variable: some access of it is a conflict
	index   uint64 // of the present event
}

// A leastThread is what is known of a thread.
type leastThread struct {
	block []repeat // the accesses of its block
	held  []reorder.Step
	also  uint32 // see reorder.Step: of the atomic operation of which not all events came
	word  uint16 // likewise: the offset
	begun uint64 // 1 and the index of the first event of its transaction
}

// A repeat is an access that may be made again.
type repeat struct {
	event      event.Event
	index      uint64
	item, kind uint32
}

// A leastLock is who holds a lock.
type leastLock struct {
	writer  bool
	readers int
}

func newLeast(relation *event.Relation) *least {
	l := &least{forest: forest.New(relation)}
	l.doubts.Locks, l.doubts.Items = make(map[uint32]bool), make(map[uint32]bool)
	l.doubts.Broken = make(map[uint64]bool)
	l.doubts.Counts = func(item uint32) bool {
		return item%4 != 0 || int(item/4) < len(l.counts) && l.counts[item/4]
	}
	return l
}

// Items: variables, locks, the WaitGroups, and all other objects as one; odd ones are those of
// calls.
func variable(v uint32) uint32 { return 4 * v }
func lockItem(l uint32) uint32 { return 8*l + 6 }
func groupItem(o uint32) uint32 {
	return 8*o + 10
}

const objectsItem = 2

func (l *least) take(index uint64, e *event.Event, s *reorder.Step) {
	l.index = index
	l.forest.At(index)
	if e.Op == event.Split {
		l.forest.Split(variable(e.Target), variable(e.Point), s.Offset)
		return
	}
	l.threads = table.Grow(l.threads, e.Thread)
	t := &l.threads[e.Thread]
	if s.Closes {
		l.repeat(t)
		t.block = t.block[:0]
	}
	if s.Also != 0 || e.Flags&event.Only == 0 {
		t.also, t.word = s.Also, s.Offset
	}
	switch e.Op {
	case event.Read, event.Write:
		l.access(t, e, s)
		return
	}
	switch s.Op {
	case reorder.Lock, reorder.RLock, reorder.Unlock, reorder.RUnlock:
		l.lock(t, e, s)
	case reorder.Begin:
		l.forest.Event(e)
		t.begun = index + 1
	case reorder.End:
		l.repeat(t)
		l.forest.At(index)
		l.forest.Event(e)
		l.repeat(t)
		t.begun = 0
	case reorder.Fork:
		l.forest.Order(e, false, true, *e)
	case reorder.Acquire, reorder.Merge, reorder.Release:
		l.object(e, s)
	case reorder.Touch:
		if s.Silent {
			return
		}
		l.forest.Access(e, 2*s.Target+1, s.Point)
		if s.Spread {
			l.doubts.Items[2*s.Target+1], l.doubts.Paths = true, true
		}
	}
}

func (l *least) access(t *leastThread, e *event.Event, s *reorder.Step) {
	kind := uint32(0)
	if e.Op == event.Write {
		kind = 1
	}
	if e.Flags&event.Only != 0 {
		if also := t.also; !s.Silent {
			l.conflict(e, e.Target, also, t.word, kind)
		}
		t.also = 0
		return
	}
	v := e.Target
	l.counts = table.Grow(l.counts, v)
	l.counts[v] = l.counts[v] || !s.Silent
	l.forest.Access(e, variable(v), kind)
	if !s.Atomic {
		t.block = append(t.block, repeat{*e, l.index, variable(v), kind})
	}
}

// conflict takes an access that counts; also is 0, or 1 and a variable of which it is one, too, at
// the word with an offset.
func (l *least) conflict(e *event.Event, v, also uint32, word uint16, kind uint32) {
	l.counts = table.Grow(l.counts, v)
	l.counts[v] = true
	if also == 0 || also-1 == v {
		l.forest.Access(e, variable(v), kind)
		return
	}
	also--
	l.counts = table.Grow(l.counts, also)
	l.counts[also] = true
	l.forest.Accesses(e, variable(also), variable(v), kind, word)
}

// repeat makes the accesses of a thread's block again, to what their variables have become.
func (l *least) repeat(t *leastThread) {
	for i := range t.block {
		r := &t.block[i]
		l.forest.Access(&r.event, r.item, r.kind)
		l.forest.PartsSince(r.item, r.index, func(part uint32) {
			l.forest.Access(&r.event, part, r.kind)
		})
	}
}

// lock takes the taking of a lock, or its release.
func (l *least) lock(t *leastThread, e *event.Event, s *reorder.Step) {
	l.locks = table.Grow(l.locks, s.Target)
	x := &l.locks[s.Target]
	reads := s.Op == reorder.RLock || s.Op == reorder.RUnlock
	if s.Op == reorder.Unlock || s.Op == reorder.RUnlock {
		i := slices.IndexFunc(t.held, func(h reorder.Step) bool {
			return h.Target == s.Target && h.Op == s.Op-1
		})
		if i < 0 {
			l.doubts.Locks[s.Target] = true // who holds it isn't known
		} else {
			t.held = slices.Delete(t.held, i, i+1)
		}
		if x.writer = x.writer && reads; reads {
			x.readers--
		}
		l.forest.Drop(e, s.Target)
		return
	}
	if x.writer || !reads && x.readers > 0 {
		l.doubts.Locks[s.Target] = true
	}
	t.held = append(t.held, *s)
	kind := uint32(1)
	if reads {
		x.readers++
		kind = 0
	}
	x.writer = x.writer || !reads
	l.repeat(t)
	l.forest.Take(e, s.Target, reads)
	l.repeat(t)
	if !s.Silent {
		l.forest.Access(e, lockItem(s.Target), kind)
	}
}

// object takes an operation on what is no lock.
func (l *least) object(e *event.Event, s *reorder.Step) {
	item, kind := uint32(objectsItem), uint32(1)
	if s.Counts {
		item = groupItem(s.Target)
	}
	if s.Counts && s.Op == reorder.Acquire {
		kind = 0
	}
	if !s.Silent {
		l.forest.Access(e, item, kind)
	}
	if !s.Counts {
		return
	}
	order := event.Event{Op: event.ReleaseMerge, Thread: e.Thread, Target: s.Target}
	if s.Op == reorder.Acquire {
		order.Op = event.Acquire
	}
	l.forest.Order(e, s.Op == reorder.Acquire, s.Op != reorder.Acquire, order)
}

// end takes the end of the trace.
func (l *least) end() {
	for i := range l.threads {
		t := &l.threads[i]
		l.repeat(t)
		if t.begun != 0 {
			l.doubts.Broken[t.begun-1] = true
			l.forest.Order(&event.Event{Thread: uint32(i)}, false, false) // it is like no other
		}
	}
}
