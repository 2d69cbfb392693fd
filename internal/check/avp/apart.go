// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"cmp"
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// A walk follows conflicts from a transaction, from transaction to transaction, and within a thread
// to what comes later. It is the second condition of package forest.
type walk struct {
	*filter
	thread  int32             // of the transaction
	end     int32             // of the section by which it was left
	in      map[int32][]int32 // by variable: the nodes by which it may be entered
	touched map[int32]int32   // by step: the last node that it conflicts with as a call
	joined  map[int32]int32   // by thread: the last join of it
	from    []int32           // by thread: all from this position on was reached
	queue   []stretch
	back    bool // it has come back
}

// A stretch is steps of a thread that were reached and not followed.
type stretch struct{ thread, from, to int32 }

// apart reports whether what a transaction leads to from one section leads to no later section of
// it, within the budget.
func (f *filter) apart(nodes []int32) bool {
	if f.budget <= 0 {
		return false
	}
	w := &walk{
		filter: f, thread: f.Thread[nodes[0]], in: make(map[int32][]int32),
		touched: make(map[int32]int32), joined: make(map[int32]int32),
		from: make([]int32, f.Threads),
	}
	for t := range w.from {
		w.from[t] = int32(len(f.Of[t]))
	}
	type exit struct {
		node int32
		link
	}
	var outs []exit
	for _, i := range nodes {
		w.entered(i)
		f.links(i, func(l link) {
			if l.out && f.leaves(i, l.group) {
				outs = append(outs, exit{i, l})
			}
		})
	}
	f.budget -= len(nodes) + len(outs) + f.Threads
	slices.SortStableFunc(outs, func(a, b exit) int { return cmp.Compare(a.to, b.to) })
	for i := 0; i < len(outs) && !w.back && f.budget > 0; i++ {
		w.end = outs[i].to
		w.exit(outs[i].node, outs[i].group)
		w.follow()
	}
	return !w.back && f.budget > 0
}

// entered keeps a node by which the transaction may be entered.
func (w *walk) entered(i int32) {
	x := w.Target[i]
	switch w.Steps[i].Op {
	case reorder.Read, reorder.Write:
		w.in[x] = append(w.in[x], i)
	case reorder.Touch:
		for _, j := range w.Conflicting(i) {
			w.budget--
			w.touched[j] = max(w.touched[j], w.Pos[i])
		}
	case reorder.Join:
		w.joined[x] = max(w.joined[x], w.Pos[i])
	}
}

// beforeIfSeen has how many steps of a thread come before a step that sees what it saw.
func (f *filter) beforeIfSeen(i int32) func(thread int32) int32 {
	return func(t int32) int32 { return f.order.before(i, t) }
}

// beforeAnyway is beforeIfSeen for a step that may be a broken read.
func (f *filter) beforeAnyway(i int32) func(thread int32) int32 {
	if f.Steps[i].Op != reorder.Read {
		return f.beforeIfSeen(i)
	}
	if f.Pos[i] == 0 {
		return func(int32) int32 { return 0 }
	}
	return f.beforeIfSeen(f.Of[f.Thread[i]][f.Pos[i]-1])
}

// exit reaches what an edge may lead to from a node of the transaction, of a group if it has one.
func (w *walk) exit(i int32, g *group) {
	if g == nil {
		w.leave(i, w.beforeIfSeen(i))
		return
	}
	at := w.NextConflict(i, g.thread, max(g.first, w.order.before(i, g.thread)))
	for ; at != reorder.None; at = w.NextConflict(i, g.thread, at+1) {
		w.budget--
		j := w.Of[g.thread][at]
		if w.under[j] == g.set && g.write == (w.Steps[j].Op == reorder.Write) {
			w.reach(g.thread, at)
			return
		}
	}
}

// leave reaches what an edge may lead to from a step.
func (w *walk) leave(i int32, before func(thread int32) int32) {
	op := w.Steps[i].Op
	if w.Steps[i].Silent && op != reorder.Fork { // forks are edges in any case
		return
	}
	switch op {
	case reorder.Read, reorder.Write:
		for t := range w.Others(i) {
			w.budget--
			if at := w.NextConflict(i, t, before(t)); at != reorder.None {
				w.reach(t, at)
			}
		}
	case reorder.Touch:
		for _, j := range w.Conflicting(i) {
			w.budget--
			if t := w.Thread[j]; w.Pos[j] >= before(t) {
				w.reach(t, w.Pos[j])
			}
		}
	case reorder.Fork:
		if t := w.Target[i]; t != reorder.None {
			w.reach(t, 0)
		}
	}
}

// reach reaches a step, all of its transaction, and what its thread does later.
func (w *walk) reach(thread, at int32) {
	at = w.Start[w.Of[thread][at]]
	if to := w.from[thread]; thread != w.thread && at < to {
		w.from[thread] = at
		w.queue = append(w.queue, stretch{thread, at, to})
	}
}

// follow follows all that was reached.
func (w *walk) follow() {
	for len(w.queue) > 0 && !w.back && w.budget > 0 {
		s := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		for _, i := range w.Of[s.thread][s.from:s.to] {
			if w.budget--; w.back || w.budget <= 0 {
				return
			}
			w.back = w.returns(i)
			w.leave(i, w.beforeAnyway(i))
		}
		w.back = w.back || w.joined[s.thread] > w.end
		for _, i := range w.joins[s.thread] { // of all that the thread has done
			w.reach(w.Thread[i], w.Pos[i])
		}
	}
}

// returns reports whether an edge may lead from a step into a later section of the transaction.
func (w *walk) returns(i int32) bool {
	s := &w.Steps[i]
	if s.Silent {
		return false
	}
	switch s.Op {
	case reorder.Touch:
		return w.touched[i] > w.end
	case reorder.Read, reorder.Write:
		for _, v := range w.in[w.Target[i]] {
			w.budget--
			if s.Op == reorder.Read && w.Steps[v].Op == reorder.Read {
				continue
			}
			from, _ := w.section(v, w.under[i])
			if from > w.end && w.Pos[i] < w.order.after(v, w.Thread[i]) {
				return true
			}
		}
	}
	return false
}
