// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"cmp"
	"slices"
)

// A mover is what an operation of a transaction is for Lipton's reduction.
type mover struct {
	interval
	move int
	node func(thread uint32) Node
}

// Moves. An operation that moves both ways is none.
const (
	right = iota // an acquire
	none         // a non-mover
	left         // a release
)

// reduce is section 6.1 of the paper: a transaction is atomic if its operations that don't move
// both ways are some that move right, one that doesn't move at most, and some that move left.
// Sections in which nothing communicates count for nothing. It is nil if that holds.
func (a *analysis) reduce(t uint32, u *unit) *Alarm {
	movers := a.movers(t, u)
	last := -1 // the place of the last that was not a right mover
	for i := range movers {
		m := &movers[i]
		if last >= 0 && m.move != left {
			thread := a.threads[t].number
			return &Alarm{Nodes: [2]Node{movers[last].node(thread), m.node(thread)}}
		}
		if m.move != right {
			last = i
		}
	}
	return nil
}

// movers are the operations of a unit that don't move both ways, in order.
func (a *analysis) movers(t uint32, u *unit) (list []mover) {
	talks := make(map[uint32]bool) // the serial numbers of sections in which something communicates
	single := make(map[uint32]bool)
	a.links(t, u, func(l *link) bool {
		if !a.any(l.group, t, l.access.frame.stretch) {
			return true
		}
		for _, h := range l.access.frame.held {
			talks[h.serial] = true
		}
		if e := l.access; !l.locked && !single[e.pos] {
			single[e.pos] = true
			list = append(list, mover{interval{e.pos, e.pos}, none, func(thread uint32) Node {
				return Node{From: e.event(thread), To: e.event(thread)}
			}})
		}
		return true
	})
	for i := range u.steps {
		p := &u.steps[i]
		list = append(list, mover{interval{p.pos, p.pos}, none, func(uint32) Node {
			return p.node()
		}})
	}
	for i := range u.sections {
		s := &u.sections[i]
		if !talks[s.serial] || !a.contended(t, s.lock) {
			continue
		}
		if !s.before {
			list = append(list, mover{interval{s.first, s.first}, right, s.node})
		}
		if s.ended {
			list = append(list, mover{interval{s.last, s.last}, left, s.node})
		}
	}
	slices.SortFunc(list, func(x, y mover) int { return cmp.Compare(x.first, y.first) })
	return list
}

// contended reports whether threads beside t take a lock.
func (a *analysis) contended(t, lock uint32) bool {
	return a.takers.of(lock) != a.threads[t].number+1
}
