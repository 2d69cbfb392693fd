// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"maps"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Open is the number of earlier steps that a piece would have if it began here. If a block has more
// than Most accesses, they count, but no piece can begin here.
func (s *State) Open() (n int) {
	n = s.beyond
	for _, t := range s.threads {
		n += len(t.list)
	}
	return n
}

// addRecorded is Add for a recorded trace. There no lock is taken again by who holds it.
func (s *State) addRecorded(step *Step, e *event.Event, index uint64) {
	t := s.thread(step.Thread)
	switch step.Op {
	case Begin, Lock, RLock:
		t.list = append(t.list, open{*step, *e, index})
	case Nothing, End:
		switch e.Op {
		case event.Begin: // of a nested one
			t.list = append(t.list, open{*step, *e, index})
		case event.End:
			s.drop(step.Thread, func(o *open) bool { return o.event.Op == event.Begin })
		}
	case Read, Write:
		if !step.Atomic {
			if s.Most > 0 && t.accesses >= s.Most {
				t.beyond++
				s.beyond++
				break
			}
			t.accesses++
			o := open{*step, *e, index}
			o.step.Silent, o.step.Reads = true, false // it was a conflict of what is no more
			t.list = append(t.list, o)
		}
	case Unlock, RUnlock:
		taken := func(o *open) bool {
			return o.step.Op == step.Op-1 && o.step.Target == step.Target
		}
		if !s.drop(step.Thread, taken) {
			s.dropAny(taken) // another thread has taken it
		}
	}
	if step.Closes && t.accesses > 0 {
		s.beyond -= t.beyond
		t.accesses, t.beyond = 0, 0
		t.list = slices.DeleteFunc(t.list, func(o open) bool {
			return o.step.Op == Read || o.step.Op == Write
		})
	}
}

// objectBit is set for objects that stand for locks.
const objectBit = 1 << 31

// Settle prepares a piece of a recorded trace for [NewSegment]. A lock excludes others only under
// three conditions: the trace has all of its sections in the piece from beginning to end, and all
// accesses that they guard, and no Cond waits with it. Accesses of a variable count as accesses of
// all its parts that are split off later. A transaction's second read of a variable, before it
// writes under the same locks, is no conflict: by this read it checks that the value is still the
// same.
func (p *Piece) Settle() {
	p.settleLooks()
	p.settleLocks()
	for i := range p.Steps {
		if p.Events[i].Op == event.Split {
			p.unsplit()
			return
		}
	}
}

// looks is what a transaction has done.
type looks struct {
	earlier, now, wrote map[uint32]bool // variables, before the present section and in it
	again               []int           // the reads in it of what was read earlier
	held                int
}

func (p *Piece) settleLooks() {
	threads := make(map[uint32]*looks)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op == Begin {
			threads[s.Thread] = &looks{
				earlier: make(map[uint32]bool), now: make(map[uint32]bool),
				wrote: make(map[uint32]bool),
			}
		}
		if l := threads[s.Thread]; s.Op == End {
			delete(threads, s.Thread)
		} else if l != nil {
			l.add(p, i)
		}
	}
}

// add takes the next step of a transaction.
func (l *looks) add(p *Piece, i int) {
	switch s := &p.Steps[i]; s.Op {
	case Lock, RLock:
		l.held++
	case Unlock, RUnlock:
		if l.held--; l.held <= 0 {
			maps.Copy(l.earlier, l.now)
			clear(l.now)
			l.again, l.held = l.again[:0], 0
		}
	case Read:
		switch {
		case l.held == 0:
			l.earlier[s.Target] = true
		case l.earlier[s.Target] && !l.wrote[s.Target]:
			l.again = append(l.again, i)
		}
		l.now[s.Target] = true
	case Write:
		l.wrote[s.Target] = true
		for _, k := range l.again {
			p.Steps[k].Silent = true
		}
		l.again = l.again[:0]
	}
}

// waits finds the locks of which Cond.Wait has let go: a thread has released such a lock, acquired
// something, and taken the lock again. A signal must come after the beginning of the Wait that it
// ends. As that is no step, nothing that is done under the lock may change places.
func (p *Piece) waits(locks map[uint32]bool) {
	type wait struct {
		lock     uint32
		acquired bool
	}
	threads := make(map[uint32]wait)
	for i := range p.Steps {
		s := &p.Steps[i]
		w, ok := threads[s.Thread]
		switch s.Op {
		case Unlock, RUnlock:
			threads[s.Thread] = wait{lock: s.Target}
		case Acquire:
			if ok {
				threads[s.Thread] = wait{w.lock, true}
			}
		case Lock, RLock:
			if ok && w.acquired && w.lock == s.Target {
				locks[s.Target] = true
			}
			delete(threads, s.Thread)
		case Nothing, Read, Write:
		default:
			delete(threads, s.Thread)
		}
	}
}

func (p *Piece) settleLocks() {
	opaque := make(map[uint32]bool)
	p.waits(opaque)
	open := make(map[[2]uint32][]int) // by lock, and by thread if it is shared: takings
	for i := range p.Steps {
		s := &p.Steps[i]
		key := [2]uint32{s.Target}
		if s.Op == RLock || s.Op == RUnlock {
			key[1] = s.Thread + 1
		}
		switch s.Op {
		case Lock, RLock:
			open[key] = append(open[key], i)
		case Unlock, RUnlock:
			if n := len(open[key]); n > 0 {
				open[key] = open[key][:n-1]
			} else {
				opaque[s.Target] = true
			}
			if s.Opaque {
				opaque[s.Target] = true
			}
		}
	}
	for _, list := range open {
		for _, i := range list {
			if i >= p.Before {
				p.Steps[i].Fixed = true
			}
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Op < Lock || s.Op > RUnlock || !opaque[s.Target] {
			continue
		}
		s.Op, s.Target = [...]Op{Acquire, Release, Acquire, Merge}[s.Op-Lock], s.Target|objectBit
	}
}

// unsplit has a step for each part of a variable that is split off later, and none for splits.
func (p *Piece) unsplit() {
	parts := make(map[uint32][]uint32) // by variable: those that are split off after a step
	offsets := make(map[uint32]uint16) // by part
	also := make([][]uint32, len(p.Steps))
	for i, s := range slices.Backward(p.Steps) {
		if e := &p.Events[i]; e.Op == event.Split {
			offsets[e.Target] = s.Offset
			parts[e.Point] = append(append(parts[e.Point], e.Target), parts[e.Target]...)
			continue
		}
		if s.Op == Read || s.Op == Write {
			also[i] = parts[s.Target]
		}
		if s.Also != 0 {
			p.Steps[i].unsplit(parts[s.Also-1], offsets)
		}
	}
	q := Piece{First: p.First, Recorded: true}
	for i := range p.Steps {
		s, e, index := p.Steps[i], p.Events[i], p.Index(int32(i))
		if e.Op == event.Split {
			e = event.Event{Op: event.Acquire, Thread: e.Thread}
		}
		for n := -1; n < len(also[i]); n++ {
			if n >= 0 {
				s.Target, e.Target, s.Also = also[i][n], also[i][n], 0
			}
			q.Steps, q.Events = append(q.Steps, s), append(q.Events, e)
			if i < p.Before {
				q.Old = append(q.Old, index)
			} else {
				q.Indexes = append(q.Indexes, index)
			}
		}
	}
	q.Before = len(q.Old)
	*p = q
}

// unsplit has Also be the part in which the step's word is of those that are split off later. If it
// isn't known where they begin, the step is fixed.
func (s *Step) unsplit(parts []uint32, offsets map[uint32]uint16) {
	begin := uint16(0)
	for _, part := range parts {
		switch at := offsets[part]; {
		case at == 0: // parts don't begin where the variable does
			s.Fixed = true
		case at <= s.Offset && at >= begin:
			s.Also, begin = part+1, at
		}
	}
}
