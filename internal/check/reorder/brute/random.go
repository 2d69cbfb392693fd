// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// A Trace is a small trace, and a piece that is all of it or its end.
type Trace struct {
	tracegen.Trace
	Piece *reorder.Piece
}

// Random is a small trace. In most traces, locks are mutexes, some with readers. In some traces,
// there are steps that may have seen anything, or that are silent.
func Random(seed uint64) Trace {
	r := rand.New(rand.NewPCG(seed, 9))
	tr := tracegen.Trace{Mutexes: true, Events: mutexes(r)}
	if r.IntN(4) == 0 {
		tr = tracegen.Sized(seed, 5+r.IntN(6))
		tr.Mutexes = false
	}
	p := Whole(tr)
	if r.IntN(2) == 0 {
		vary(r, p)
	}
	if r.IntN(2) == 0 {
		record(r, p)
	}
	if r.IntN(4) == 0 {
		p = p.Cut(r.IntN(1+len(p.Steps)/2), len(p.Steps))
	}
	return Trace{tr, p}
}

// Whole is a trace as a piece.
func Whole(tr tracegen.Trace) *reorder.Piece {
	d := reorder.Decoder{Mutexes: tr.Mutexes}
	p := &reorder.Piece{Events: tr.Events}
	for i := range tr.Events {
		p.Steps = append(p.Steps, d.Step(&tr.Events[i]))
	}
	return p
}

// vary makes of some steps what the events of a trace alone don't say.
func vary(r *rand.Rand, p *reorder.Piece) {
	readers := 1 + r.Uint32N(2)
	untold := r.IntN(4) == 0
	for i := range p.Steps {
		s := &p.Steps[i]
		switch shared := s.Thread == 1 || s.Thread == readers; {
		case shared && s.Op == reorder.Lock:
			s.Op = reorder.RLock
		case shared && s.Op == reorder.Unlock:
			s.Op = reorder.RUnlock
		case untold && s.Op == reorder.Read && r.IntN(3) == 0:
			s.Op = reorder.Untold
		case r.IntN(8) == 0:
			s.Silent = true
		}
	}
}

// record makes a piece one of a recorded trace: with blocks, atomic operations, and operations on
// objects of which it isn't known which these are.
func record(r *rand.Rand, p *reorder.Piece) {
	p.Recorded = true
	object := r.Uint32N(3) // the lock that is one, if there is such
	atomic := r.Uint32N(4) // the variable
	word := r.Uint32N(6)   // a variable that is a lock's
	second := r.Uint32N(6) // another such lock
	named, others := r.IntN(2) == 0, r.IntN(4) == 0
	var b reorder.Blocks
	for i := range p.Steps {
		s := &p.Steps[i]
		switch s.Op {
		case reorder.Read, reorder.Write:
			s.Atomic = s.Target == atomic
			s.Reads = s.Atomic && s.Op == reorder.Write && r.IntN(2) == 0
		case reorder.Lock, reorder.RLock, reorder.Unlock, reorder.RUnlock:
			if word < 2 && s.Target == 0 {
				s.Also = word + 1
			}
		}
		if s.Target == object || s.Target == second {
			s.Named = named && s.Op >= reorder.Lock && s.Op <= reorder.RUnlock && r.IntN(8) > 0
			switch s.Op {
			case reorder.Lock, reorder.RLock:
				s.Op = reorder.Acquire
			case reorder.Unlock:
				s.Op = reorder.Release
			case reorder.RUnlock:
				s.Op = reorder.Merge
			}
		}
		switch s.Op {
		case reorder.Unlock, reorder.RUnlock, reorder.Release, reorder.Merge, reorder.Fork,
			reorder.Begin:
			s.Closes = true
		}
		s.Closes = s.Closes || s.Reads || r.IntN(6) == 0
		if others && r.IntN(6) == 0 {
			s.After = 1 + r.Uint32N(3)
		}
		b.Add(s)
	}
}

// mutexes is a trace of two or three threads whose locks are mutexes, with up to ten events beside
// the begins and ends of transactions.
func mutexes(r *rand.Rand) (list []event.Event) {
	var v event.Validator
	v.Mutexes = true
	threads, vars, locks := 2+r.Uint32N(2), 1+r.Uint32N(2), 1+r.Uint32N(2)
	depth, inner := make([]int, threads), 4+r.IntN(7)
	accesses, forks := 8+r.IntN(16), r.IntN(3)
	for tries := 0; inner > 0 && tries < 200 && len(list) < 16; tries++ {
		e := event.Event{Thread: r.Uint32N(threads)}
		marks := tries < 2
		if marks && depth[e.Thread] == 0 {
			e.Op = event.Begin
			v.Event(&e)
			list = append(list, e)
			depth[e.Thread]++
			continue
		}
		switch n := r.IntN(12 + accesses); {
		case n < 2:
			e.Op, marks = event.Begin, depth[e.Thread] == 0 || r.IntN(20) == 0
			if !marks {
				continue
			}
		case n < 4:
			e.Op, marks = event.End, true
			if r.IntN(2) == 0 {
				continue
			}
		case n < 7:
			e.Op, e.Target = event.Acquire, r.Uint32N(locks)
		case n < 11:
			e.Op, e.Target = event.Release, r.Uint32N(locks)
		case n < 12:
			if e.Op, e.Target = event.Fork, r.Uint32N(threads); r.IntN(2) == 0 {
				e.Op = event.Join
			}
			if forks == 0 {
				continue
			}
		case r.IntN(2) == 0:
			e.Op, e.Target = event.Read, r.Uint32N(vars)
		default:
			e.Op, e.Target = event.Write, r.Uint32N(vars)
		}
		e.Pos = uint32(len(list) + 1)
		if v.Event(&e) != nil {
			continue
		}
		list = append(list, e)
		switch {
		case e.Op == event.Begin:
			depth[e.Thread]++
		case e.Op == event.End:
			depth[e.Thread]--
		}
		if !marks {
			inner--
		}
	}
	return list
}
