// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A tape records a run as commute does: accesses that repeat others are left out. If it is not
// named, nothing says on which channel an operation is, and additions to a WaitGroup have no step.
type tape struct {
	*Program
	named    bool
	by       [channels]int // 1 and the thread that has used a channel, or several
	looked   [channels]int // likewise: that has failed on it, when no other one had used it
	chosen   [4]int        // of so many operations of a thread the object isn't known
	blocks   reorder.Blocks
	added    [4]int                  // to the second WaitGroup, by thread, and not taken off
	given    [4]int                  // what is left of what the first thread had added at a fork
	accessed [4]map[instruction]bool // since the thread has handed on what it has done
	fixed    [4]bool
	begun    [4]uint32
}

// several stands for threads.
const several = -1

// run runs the program until no thread can go on, or the trace is long.
func (p *Program) run(r *rand.Rand, named bool) {
	p.Piece = &reorder.Piece{Recorded: true}
	tp := tape{Program: p, named: named}
	for t, list := range p.threads {
		p.chosen = append(p.chosen, slices.Repeat([]int{unchosen}, len(list)))
		p.mates = append(p.mates, make([]int, len(list)))
		p.saw = append(p.saw, make([]uint64, len(list)))
		p.silent = append(p.silent, make([]bool, len(list)))
		tp.accessed[t] = make(map[instruction]bool)
	}
	m := newMachine(p)
	t := 0
	for fails := 0; fails < 30 && len(p.Piece.Steps) < most-6; {
		if r.IntN(3) == 0 {
			t = r.IntN(len(p.threads))
		}
		before, at := m, m.pc[t]
		saw, ok := m.step(t)
		if !ok {
			fails++
			t = r.IntN(len(p.threads))
			continue
		}
		fails, p.saw[t][at], p.chosen[t][at] = 0, saw, m.took
		n := len(p.Piece.Steps)
		if u := m.with - 1; u >= 0 {
			p.saw[u][before.pc[u]], p.chosen[u][before.pc[u]] = m.withSaw, unbuffered
			p.mates[t][at], p.mates[u][before.pc[u]] = u+1, t+1
			tp.meeting(t, u, &before, m.arrives)
			continue
		}
		tp.record(t, &before, saw)
		p.silent[t][at] = len(p.Piece.Steps) == n
		for k := n; k < len(p.Piece.Steps); k++ {
			p.at = append(p.at, place{t, at, k == len(p.Piece.Steps)-1})
		}
	}
	for t := range p.threads { // what was not made is no part of the trace
		p.threads[t] = p.threads[t][:m.pc[t]]
	}
}

// record records an instruction that was made in a state.
func (p *tape) record(t int, m *machine, saw uint64) {
	in := p.threads[t][m.pc[t]]
	x := uint32(in.x)
	switch in.op {
	case read, write:
		if p.accessed[t][in] || in.op == read && p.accessed[t][instruction{write, in.x}] {
			return
		}
		p.accessed[t][in] = true
		p.step(t, reorder.Step{Op: reorder.Read + reorder.Op(in.op-read), Target: x})
	case load:
		p.step(t, reorder.Step{Op: reorder.Read, Target: 10 + x, Atomic: true})
	case store, add:
		p.step(t, reorder.Step{
			Op: reorder.Write, Target: 10 + x, Atomic: true, Closes: true, Reads: in.op == add,
		})
	case lock:
		p.step(t, reorder.Step{Op: reorder.Lock, Target: x})
	case tryLock:
		if saw == 1 {
			p.step(t, reorder.Step{Op: reorder.Lock, Target: x, Tries: true})
		} else {
			p.fixed[t] = true
		}
	case unlock:
		if m.writer[x] == t+1 {
			p.step(t, reorder.Step{Op: reorder.Unlock, Target: x, Closes: true})
		}
	case rlock:
		p.step(t, reorder.Step{Op: reorder.RLock, Target: x})
	case runlock:
		p.step(t, reorder.Step{Op: reorder.RUnlock, Target: x, Closes: true})
	case send, receive, trySend, tryReceive, choose, chooseElse:
		p.communicate(t, in, m)
	case closeChannel:
		p.step(t, reorder.Step{Op: reorder.Release, Target: ofChannel(in.x), Closes: true})
	case done:
		p.step(t, reorder.Step{Op: reorder.Merge, Target: 40, Closes: true, Counts: true})
	case wait:
		p.step(t, reorder.Step{Op: reorder.Acquire, Target: 40, Counts: true})
	case shrink:
		p.takesOff(t)
	case rest:
		p.step(t, reorder.Step{Op: reorder.Acquire, Target: 41, Counts: true})
	case grow:
		if p.named {
			p.step(t, reorder.Step{Op: reorder.Merge, Target: 41, Silent: true})
		}
		p.added[t]++
	case waitBegin:
		p.step(t, reorder.Step{Op: reorder.Unlock, Target: x, Closes: true})
	case woken:
		p.step(t, reorder.Step{Op: reorder.Acquire, Target: ofCond})
	case signal, broadcast:
		p.step(t, reorder.Step{Op: reorder.Merge, Target: ofCond, Closes: true})
	case get, put:
		p.step(t, reorder.Step{Op: reorder.Touch, Target: x, Point: uint32(in.op - get)})
	case begin:
		p.begun[t]++
		p.step(t, reorder.Step{Op: reorder.Begin, Point: p.begun[t], Closes: true})
	case end:
		p.step(t, reorder.Step{Op: reorder.End})
	case goStart:
		p.given[in.x] = p.added[t]
		p.step(t, reorder.Step{Op: reorder.Fork, Target: x, Closes: true})
	}
}

// step records a step, and the event that it is of.
func (p *tape) step(t int, s reorder.Step) {
	s.Thread, s.Fixed = uint32(t), p.fixed[t]
	p.fixed[t] = false
	if s.Op >= reorder.Acquire && s.Op <= reorder.Release {
		p.ofObject(t, &s)
	}
	if s.Closes {
		clear(p.accessed[t])
	}
	p.blocks.Add(&s)
	e := event.Event{Thread: s.Thread, Target: s.Target, Point: s.Point,
		Pos: uint32(len(p.Piece.Steps) + 1)}
	switch s.Op {
	case reorder.Begin:
		e.Op, e.Target, e.Point = event.Begin, 0, 0
	case reorder.End:
		e.Op = event.End
	case reorder.Read:
		e.Op = event.Read
	case reorder.Write:
		e.Op = event.Write
	case reorder.Fork:
		e.Op = event.Fork
	case reorder.Touch:
		e.Op = event.Touch
	case reorder.Lock, reorder.RLock, reorder.Acquire:
		e.Op = event.Acquire
	case reorder.Unlock, reorder.Release:
		e.Op = event.Release
	default:
		e.Op = event.ReleaseMerge
		if s.Silent { // it releases nothing
			e.Op = event.Acquire
		}
	}
	if s.Op >= reorder.Lock && s.Op <= reorder.RUnlock {
		e.Target += 60 // 0 is what no event releases
	}
	p.Piece.Steps, p.Piece.Events = append(p.Piece.Steps, s), append(p.Piece.Events, e)
}

// Makes reports whether the program can make its steps in an order, with instructions that left no
// step in between. Each step must see the same value as in the run, except the last read of a
// thread. After that read, the thread only releases locks.
func (p *Program) Makes(order []int32) bool {
	return p.Stuck(order, nil)
}

// Stuck reports whether the program can make its steps in an order, and is then in a deadlock: each
// step of next is the next one of its thread, and none of them can be made.
func (p *Program) Stuck(order, next []int32) bool {
	p.Nodes = 100000
	p.next = next
	return p.makes(newMachine(p), order)
}

// stands reports whether the steps in next are those that come next, and can't be made.
func (p *Program) stands(m machine) bool {
	for _, i := range p.next {
		at := p.at[i]
		then := m
		if _, ok := then.step(at.thread); ok || m.broken[at.thread] ||
			m.pc[at.thread] != at.instruction {
			return false
		}
	}
	return true
}

func (p *Program) makes(m machine, order []int32) bool {
	p.Nodes--
	if len(order) == 0 {
		return p.stands(m) || p.Nodes > 0 && p.makesSilent(m, order)
	}
	i := order[0]
	at := p.at[i]
	t := at.thread
	switch {
	case p.Nodes < 0:
		return false
	case m.broken[t]:
		return m.letsGo(t, &p.Piece.Steps[i]) && p.makes(m, order[1:])
	case m.met[t]: // all of it was made with the other thread's
		m.met[t] = !at.last
		return m.pc[t] == at.instruction+1 && p.makes(m, order[1:])
	case !at.last && m.pc[t] == at.instruction:
		if p.makes(m, order[1:]) {
			return true
		}
	case m.pc[t] == at.instruction:
		next := m
		next.meets = p.mates[t][at.instruction]
		saw, ok := next.step(t)
		next.broken[t] = saw != p.saw[t][at.instruction]
		if u := next.with - 1; ok && u >= 0 {
			next.met[u] = true
			ok = !next.broken[t] && next.withSaw == p.saw[u][m.pc[u]]
		}
		if ok && (!next.broken[t] || p.Piece.Steps[i].Op == reorder.Read) &&
			p.makes(next, order[1:]) {
			return true
		}
	}
	return p.makesSilent(m, order)
}

// makesSilent is makes for an instruction first that left no step.
func (p *Program) makesSilent(m machine, order []int32) bool {
	for t := range p.threads {
		next := m
		at := m.pc[t]
		if m.broken[t] || m.met[t] || at == len(p.threads[t]) || !p.silent[t][at] {
			continue
		}
		next.meets = 0
		if saw, ok := next.step(t); ok && saw == p.saw[t][at] && p.makes(next, order) {
			return true
		}
	}
	return false
}

// letsGo makes a step of a thread of which nothing else is known: the release of a lock.
func (m *machine) letsGo(t int, s *reorder.Step) bool {
	switch x := s.Target; {
	case s.Op == reorder.Unlock && m.writer[x] == t+1:
		m.writer[x] = 0
	case s.Op == reorder.RUnlock:
		m.readers[x]--
	default:
		return false
	}
	return true
}
