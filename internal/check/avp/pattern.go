// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// A pattern is a try to put a part of one thread between two steps of a transaction of another.
//
//	S   what both need
//	B1  of thread B: a step f that conflicts with one of A, and what leads to it under its locks
//	A2  of transaction A: that step, and what leads to it under its locks
//	    all else that can be made, in the trace's order
type pattern struct {
	*reorder.Segment
	*judge
	closer *reorder.Closer
	runner *reorder.Runner
	steps  int // how many steps were made in all tries

	begin      int32   // the first step of the transaction
	a, b       []int32 // the steps of the transaction, and of the other thread
	from, to   int32   // A2 is a[from..to], positions in its thread
	fromB, toB int32   // B1 likewise
}

func newPattern(s *reorder.Segment) *pattern {
	return &pattern{
		Segment: s, judge: newJudge(s), closer: reorder.NewCloser(s),
		runner: reorder.NewRunner(s),
	}
}

// A candidate is a step of a transaction and a conflicting one of another thread.
type candidate struct{ step, other int32 }

// find tries the candidates of the transaction that begins with a step, and returns the first order
// that has a cycle through it, and the cycle. They are nil if none has. Skip may rule candidates
// out.
func (p *pattern) find(begin int32, skip func(candidate) bool) ([]int32, *cycle) {
	t := p.Thread[begin]
	p.a, p.begin = p.Of[t], begin
	for at := p.Pos[begin] + 1; int(at) < len(p.a); at++ {
		e := p.a[at]
		if p.Steps[e].Op == reorder.End {
			break
		}
		for _, f := range p.others(e) {
			if skip != nil && skip(candidate{e, f}) {
				continue
			}
			if order, c := p.try(e, f); c != nil {
				return order, c
			}
		}
	}
	return nil, nil
}

// others are the steps of other threads that conflict with one, the nearest first.
func (p *pattern) others(e int32) (list []int32) {
	switch p.Steps[e].Op {
	case reorder.Read, reorder.Write, reorder.Touch:
	default:
		return nil
	}
	list = p.Conflicting(e)
	distance := func(i int32) int32 { return max(i-e, e-i) }
	slices.SortFunc(list, func(i, j int32) int { return int(distance(i) - distance(j)) })
	return list
}

// try tries one candidate in all ways: A may be held back right before e, or where it takes a lock
// that leads to e, and B likewise.
func (p *pattern) try(e, f int32) ([]int32, *cycle) {
	p.b = p.Of[p.Thread[f]]
	for _, c := range p.holds(e, p.begin) {
		for _, b := range p.holds(f, reorder.None) {
			p.from, p.to = p.Pos[c], p.Pos[e]
			p.fromB, p.toB = p.Pos[b], p.Pos[f]
			whole := p.letGo(p.b, p.fromB, p.toB)
			for _, variant := range [3]struct {
				toB      int32
				complete bool
			}{{whole, false}, {whole, true}, {p.Pos[f], false}} {
				p.toB = variant.toB
				if order, c := p.order(variant.complete); c != nil {
					return order, c
				}
			}
		}
	}
	return nil, nil
}

// holds are the places where a thread can be held back before step e: e, and the takings of locks
// that it holds there, but for those before a transaction begins.
func (p *pattern) holds(e, begin int32) []int32 {
	list := []int32{e}
	steps := p.Of[p.Thread[e]]
	for at := p.Pos[e] - 1; at >= 0; at-- {
		i := steps[at]
		if i == begin || int(i) < p.Before {
			break
		}
		if op := p.Steps[i].Op; (op == reorder.Lock || op == reorder.RLock) &&
			(p.Mate[i] == reorder.None || p.Mate[i] > e) {
			list = append(list, i)
		}
		if p.Steps[i].Fixed || p.Steps[i].Op == reorder.Untold {
			break
		}
	}
	return list
}

// letGo is the position in a thread where all that it took from one position to another has been
// released. What the thread doesn't release doesn't count.
func (p *pattern) letGo(steps []int32, from, to int32) int32 {
	end := to
	for at := from; at <= to; at++ {
		i := steps[at]
		if op := p.Steps[i].Op; op == reorder.Lock || op == reorder.RLock {
			if m := p.Mate[i]; m != reorder.None && p.Thread[m] == p.Thread[i] {
				end = max(end, p.Pos[m])
			}
		}
	}
	return end
}

// order makes the order S, B1, A2, and what else there is, and returns it if it has a cycle.
func (p *pattern) order(complete bool) ([]int32, *cycle) {
	ta, tb := p.Thread[p.a[0]], p.Thread[p.b[0]]
	want := p.Begin()
	want[ta], want[tb] = max(want[ta], p.from), max(want[tb], p.fromB)
	p.want(want, p.b, p.fromB, p.toB)
	p.want(want, p.a, p.from, p.to)
	s := p.closer.Closure(want)
	if complete {
		p.release(s, want)
		s = p.closer.Closure(want)
	}
	if s[ta] > p.from || s[tb] > p.fromB {
		return nil, nil
	}
	r := p.runner
	r.Reset()
	ok := r.To(s) && p.run(p.b, p.fromB, p.toB) && p.run(p.a, p.from, p.to)
	p.steps += r.Len()
	if !ok {
		return nil, nil
	}
	if order, c := p.closes(); c != nil { // mostly no more is needed
		return order, c
	}
	r.Rest()
	p.steps += r.Len()
	if _, ok := p.cycle(r.Order()); !ok {
		return nil, nil
	}
	return p.closes()
}

// closes is what was made, up to where it closes a cycle through the transaction; nil if it
// doesn't.
func (p *pattern) closes() ([]int32, *cycle) {
	order := p.runner.Order()
	p.steps += len(order)
	c := cycleOf(p.Segment, order, p.begin)
	if c == nil {
		return nil, nil
	}
	return order[:c.closed], c
}

// want adds to a cut what steps need of other threads; the last one may see another write.
func (p *pattern) want(cut reorder.Cut, steps []int32, from, to int32) {
	include := func(i int32) {
		t := p.Thread[i]
		if t != p.Thread[p.a[0]] && t != p.Thread[p.b[0]] || t == p.Thread[steps[0]] &&
			p.Pos[i] < from {
			cut[t] = max(cut[t], p.Pos[i]+1)
		}
	}
	for at := from; at <= to; at++ {
		i := steps[at]
		if w := p.Source(i); w != reorder.None && (at < to || p.Steps[i].Reads) {
			include(w)
		}
		for _, j := range p.Needs(i) {
			include(j)
		}
		if x := p.Target[i]; p.Steps[i].Op == reorder.Join && x != reorder.None {
			include(p.Of[x][len(p.Of[x])-1])
		}
	}
}

// release adds to a cut the ends of the sections in s that other threads have, of the locks that A2
// and B1 take.
func (p *pattern) release(s, cut reorder.Cut) {
	takes := make(map[int32]bool)
	for _, part := range [][]int32{p.b[p.fromB : p.toB+1], p.a[p.from : p.to+1]} {
		for _, i := range part {
			if op := p.Steps[i].Op; op == reorder.Lock || op == reorder.RLock {
				takes[p.Target[i]] = true
			}
		}
	}
	for t := range s {
		for _, i := range p.Of[t][:s[t]] {
			op := p.Steps[i].Op
			if (op == reorder.Lock || op == reorder.RLock) && takes[p.Target[i]] &&
				p.Mate[i] != reorder.None {
				m := p.Mate[i]
				u := p.Thread[m]
				cut[u] = max(cut[u], p.Pos[m]+1)
			}
		}
	}
}

// run makes a part of a thread. Only its last step may break.
func (p *pattern) run(steps []int32, from, to int32) bool {
	for at := from; at <= to; at++ {
		i, breaks, ok := p.runner.Step(p.Thread[steps[at]])
		if !ok || i != steps[at] || breaks && at < to {
			return false
		}
		p.runner.Do(i, breaks)
	}
	return true
}
