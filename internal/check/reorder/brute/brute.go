// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package brute goes through all orders that package reorder allows, by the definition and without
// regard to speed, for tests.
//
// Input: a small piece of a trace. Output: its orders, and the transactions that close a cycle in
// one of them. It shares no code with the searches.
package brute

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// most is how many steps a piece may have.
const most = 32

// A Search goes through all orders of a piece.
type Search struct {
	Piece    *reorder.Piece
	Relation *event.Relation
	Nodes    int // the search stops after so many orders

	// Fixed is the only order to go through, if it isn't nil.
	Fixed []int32

	// Each is called with each order, if it isn't nil. It must not keep it.
	Each func(order []int32)

	// OnCycle are the marked transactions, by their first steps, that are on a cycle in some order.
	OnCycle map[int32]bool

	order   []int32
	made    [most]bool
	stopped map[uint32]bool // threads whose last step is a broken read
	saw     [most]int32     // by step: the write that it saw
	first   [most]int32     // by step: the first one of its transaction
	marked  [most]bool
}

// A graph has for each transaction, by its first step, a set of those to which edges lead.
type graph [most]uint32

// Run goes through the orders, and reports whether it came to the end.
func (s *Search) Run() bool {
	if len(s.Piece.Steps) > most {
		return false
	}
	s.stopped, s.OnCycle = make(map[uint32]bool), make(map[int32]bool)
	running := make(map[uint32]int32)
	for i, step := range s.Piece.Steps {
		i := int32(i)
		if step.Op == reorder.Begin {
			running[step.Thread] = i
		}
		s.saw[i] = s.lastWrite(step.Target)
		s.first[i] = i
		if b, ok := running[step.Thread]; ok {
			s.first[i], s.marked[i] = b, true
		}
		if step.Op == reorder.End {
			delete(running, step.Thread)
		}
		s.order = append(s.order, i)
	}
	s.order = s.order[:s.Piece.Before]
	for _, i := range s.order {
		s.made[i] = true
	}
	s.visit(graph{})
	return s.Nodes > 0
}

func (s *Search) lastWrite(variable uint32) int32 {
	for _, i := range slices.Backward(s.order) {
		if step := s.Piece.Steps[i]; step.Op == reorder.Write && step.Target == variable {
			return i
		}
	}
	return reorder.None
}

func (s *Search) visit(g graph) {
	if s.Nodes--; s.Nodes <= 0 {
		return
	}
	if s.Each != nil {
		s.Each(s.order)
	}
	for i, step := range s.Piece.Steps {
		i := int32(i)
		if s.Fixed != nil && (len(s.order) == len(s.Fixed) || s.Fixed[len(s.order)] != i) {
			continue
		}
		if s.made[i] || s.stopped[step.Thread] && !s.letsGo(i) || !s.may(i) {
			continue
		}
		breaks := step.Op == reorder.Read && !step.Fixed && !s.seesAll(i)
		next := s.add(g, i)
		was := s.stopped[step.Thread]
		s.made[i], s.stopped[step.Thread] = true, was || breaks
		s.order = append(s.order, i)
		s.visit(next)
		s.order = s.order[:len(s.order)-1]
		s.made[i], s.stopped[step.Thread] = false, was
	}
}

// add adds the edges of step i.
func (s *Search) add(g graph, i int32) graph {
	a := s.first[i]
	before, closed := g.reach(a), false
	for _, j := range s.order {
		b := s.first[j]
		if a == b {
			continue
		}
		if s.Piece.Steps[i].Thread == s.Piece.Steps[j].Thread {
			g[b] |= 1 << a
		} else if s.conflict(j, i) {
			g[b] |= 1 << a
			closed = closed || before>>b&1 != 0
		}
	}
	for c := range int32(most) {
		if closed && s.marked[c] && s.first[c] == c && g.reach(c)>>c&1 != 0 {
			s.OnCycle[c] = true
		}
	}
	return g
}

// reach is the set of transactions that one reaches.
func (g *graph) reach(a int32) (set uint32) {
	next := g[a]
	for set|next != set {
		set |= next
		for b := range g {
			if set>>b&1 != 0 {
				next |= g[b]
			}
		}
	}
	return set
}

// conflict reports whether step i conflicts with the earlier step j of another thread.
func (s *Search) conflict(j, i int32) bool {
	e, f := s.Piece.Steps[i], s.Piece.Steps[j]
	switch {
	case f.Op == reorder.Fork && f.Target == e.Thread, e.Op == reorder.Join && e.Target == f.Thread:
		return true
	case e.Silent || f.Silent || e.Target != f.Target:
		return false
	case e.Op == reorder.Read:
		return f.Op == reorder.Write
	case e.Op == reorder.Write:
		return f.Op == reorder.Read || f.Op == reorder.Write
	case e.Op == reorder.Touch:
		return f.Op == reorder.Touch && slices.Contains(s.Relation.Conflicts(e.Point), f.Point)
	}
	return false
}

// may reports whether step i can come next.
func (s *Search) may(i int32) bool {
	e := s.Piece.Steps[i]
	if e.Fixed || e.Op == reorder.Untold {
		return s.followed(i)
	}
	if e.Reads && !s.seesAll(i) || s.Piece.Recorded && (s.overtaken(i) || s.spoilt(i)) {
		return false
	}
	for j, f := range s.Piece.Steps {
		earlier, made := int32(j) < i, s.made[j]
		switch {
		case earlier && (f.Thread == e.Thread || f.Thread+1 == e.After) && !made,
			f.Op == reorder.Fork && f.Target == e.Thread && !made,
			e.Op == reorder.Join && f.Thread == e.Target && (!made || s.stopped[f.Thread]),
			int32(j) != i && made != earlier && s.dependent(e, f):
			return false
		}
	}
	return s.free(e)
}

// dependent reports whether two steps keep their order.
func (s *Search) dependent(e, f reorder.Step) bool {
	object := func(op reorder.Op) bool { return op >= reorder.Acquire && op <= reorder.Release }
	access := func(op reorder.Op) bool { return op == reorder.Read || op == reorder.Write }
	switch {
	case e.Also != 0 && access(f.Op) && f.Target == e.Also-1,
		f.Also != 0 && access(e.Op) && e.Target == f.Also-1:
		return true
	case e.Op == reorder.Touch && f.Op == reorder.Touch && e.Target == f.Target:
		return slices.Contains(s.Relation.Conflicts(e.Point), f.Point)
	case object(e.Op) && object(f.Op) && e.Target == f.Target:
		return e.Op != f.Op || e.Op == reorder.Release
	}
	return false
}

// free reports whether a lock can be taken or released.
func (s *Search) free(e reorder.Step) bool {
	writers, readers := 0, 0
	for _, i := range s.order {
		if f := s.Piece.Steps[i]; f.Target == e.Target {
			switch f.Op {
			case reorder.Lock:
				writers++
			case reorder.Unlock:
				writers--
			case reorder.RLock:
				readers++
			case reorder.RUnlock:
				readers--
			}
		}
	}
	switch e.Op {
	case reorder.Lock:
		return writers+readers == 0
	case reorder.RLock:
		return writers == 0
	case reorder.Unlock:
		return writers > 0
	case reorder.RUnlock:
		return readers > 0
	}
	return true
}
