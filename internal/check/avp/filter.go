// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// A filter says of transactions that they are on no cycle that they leave before they are entered.
//
// A step of a transaction has a section for a step that it conflicts with: that of a lock which
// both hold, else the step alone. The two sections are wholly one before the other in every order,
// and that is the order of the steps. Package forest has the proof that on each cycle some
// transaction has the section by which it is left before that by which it is entered. So if no
// transaction may be such, there is no cycle. For the proof both steps must have sections of one
// lock, which is why lockTable chooses it.
type filter struct {
	*reorder.Segment
	vars   []variable
	held   [][]guard // by thread
	set    []int32   // by thread: the locks that it holds
	under  []int32   // by step: the locks that are held there
	locks  lockTable
	joins  map[int32][]int32 // by thread: the joins of it
	order  *orders           // nil until it is needed
	budget int               // of what is looked at to follow conflicts

	options *Options
	counts  Counts // of what filters passed
}

// A variable has who accesses it.
type variable struct {
	reader, writer int32 // the thread, several, or None
	groups         []group
}

// A group is the accesses of a variable by a thread under the same locks.
type group struct {
	thread, set int32
	write       bool
	first, last int32 // positions
}

const several = -2

// perStep is what may be looked at for each step of a segment, to follow conflicts.
const perStep = 20

// newFilter makes the filter of a segment. O(n), but for the groups of a variable.
func newFilter(s *reorder.Segment, o *Options) *filter {
	f := &filter{
		Segment: s, vars: make([]variable, s.Vars), held: make([][]guard, s.Threads),
		set: make([]int32, s.Threads), under: make([]int32, len(s.Steps)), locks: newLockTable(),
		budget: perStep * len(s.Steps), joins: make(map[int32][]int32), options: o,
	}
	for v := range f.vars {
		f.vars[v] = variable{reader: reorder.None, writer: reorder.None}
	}
	for i := range s.Steps {
		f.access(int32(i))
		f.hold(int32(i))
		if s.Steps[i].Op == reorder.Join && s.Target[i] != reorder.None {
			f.joins[s.Target[i]] = append(f.joins[s.Target[i]], int32(i))
		}
	}
	return f
}

// hold keeps the locks that a thread holds. A section that another thread ends doesn't count.
func (f *filter) hold(i int32) {
	t, m, l := f.Thread[i], f.Mate[i], f.Target[i]
	switch op := f.Steps[i].Op; op {
	case reorder.Lock, reorder.RLock:
		if m != reorder.None && f.Thread[m] != t {
			return
		}
		f.held[t] = append(f.held[t], guard{l, op == reorder.RLock})
	case reorder.Unlock, reorder.RUnlock:
		n := slices.Index(f.held[t], guard{l, op == reorder.RUnlock})
		if m == reorder.None || n < 0 {
			return
		}
		f.held[t] = slices.Delete(f.held[t], n, n+1)
	default:
		return
	}
	f.set[t] = f.locks.of(f.held[t])
}

// access keeps what is known of the variable of an access.
func (f *filter) access(i int32) {
	s := &f.Steps[i]
	if s.Silent || s.Op != reorder.Read && s.Op != reorder.Write {
		return
	}
	t, v := f.Thread[i], &f.vars[f.Target[i]]
	f.under[i] = f.set[t]
	by := &v.reader
	if s.Op == reorder.Write {
		by = &v.writer
	}
	if *by == reorder.None {
		*by = t
	} else if *by != t {
		*by = several
	}
	for n := len(v.groups) - 1; n >= 0; n-- {
		g := &v.groups[n]
		if g.thread == t && g.set == f.set[t] && g.write == (s.Op == reorder.Write) {
			g.last = f.Pos[i]
			return
		}
	}
	v.groups = append(v.groups, group{t, f.set[t], s.Op == reorder.Write, f.Pos[i], f.Pos[i]})
}

// node reports whether a step conflicts with a step of another thread of the window.
func (f *filter) node(i int32) bool {
	t, s := f.Thread[i], &f.Steps[i]
	other := func(by int32) bool { return by != reorder.None && by != t }
	switch s.Op {
	case reorder.Fork, reorder.Join:
		return f.Target[i] != reorder.None
	case reorder.Touch:
		return !s.Silent // few: they are not looked at more closely
	case reorder.Read:
		return !s.Silent && other(f.vars[f.Target[i]].writer)
	case reorder.Write:
		v := &f.vars[f.Target[i]]
		return !s.Silent && (other(v.writer) || other(v.reader))
	}
	return false
}

// nodes are those of the transaction that begins with a step.
func (f *filter) nodes(begin int32) (list []int32) {
	t := f.Thread[begin]
	for at := f.Pos[begin] + 1; int(at) < len(f.Of[t]); at++ {
		i := f.Of[t][at]
		if f.Steps[i].Op == reorder.End {
			break
		}
		if f.node(i) {
			list = append(list, i)
		}
	}
	return list
}

// safe reports whether the transaction that begins with a step is left before it is entered in no
// order. The conditions are tried from the cheapest on, but without those of package forest the
// segment of each transaction is determined first, as in the paper.
func (f *filter) safe(begin int32) bool {
	o, c := f.options, &f.counts
	nodes := f.nodes(begin)
	var z *tas
	first := !o.NoTAS && o.NoForest
	if first {
		z = f.segment(begin)
	}
	switch {
	case !o.NoStatic && len(nodes) < 2:
		c.Static++
		return true
	case !o.NoForest && f.guarded(nodes):
		c.Forest++
		return true
	}
	f.needOrder()
	if !o.NoTAS && !first {
		z = f.segment(begin)
	}
	switch {
	case !o.NoTAS && !o.NoStatic && (z == nil || !f.within(z, nodes)):
		c.StaticTAS++
	case !o.NoForest && (!o.NoTAS && f.together(nodes, true) || f.apart(nodes)):
		c.Forest++
	default:
		return false
	}
	return true
}

// segment is the segment of a transaction, which is counted; nil if it has no access.
func (f *filter) segment(begin int32) *tas {
	f.needOrder()
	z := f.tasOf(begin)
	f.counts.Segments++
	f.counts.Around += uint64(len(f.Steps))
	if z != nil {
		f.counts.Inside += z.size()
	}
	return z
}

// needOrder has the order of the segment be there.
func (f *filter) needOrder() {
	if f.order == nil {
		f.order = newOrders(f.Segment, !f.options.NoTAS)
	}
}

// guarded reports whether no section of a node is wholly before that of another: the first
// condition of package forest.
func (f *filter) guarded(nodes []int32) bool { return f.together(nodes, false) }

// together is guarded, or, if ordered is set, that for the nodes that are left by the order of the
// trace, as far as no order of the window can change it: the trace atomicity segment, for each node
// by itself. The other side f of an edge out of u must be able to come after u, and the other side
// g of an edge into v before v.
func (f *filter) together(nodes []int32, ordered bool) bool {
	out, in := int32(len(f.Steps)), int32(-1) // where the first ends and the last begins
	for _, i := range nodes {
		f.links(i, func(l link) {
			if l.out && (!ordered || f.leaves(i, l.group)) {
				out = min(out, l.to)
			}
			if l.in && (!ordered || f.enters(i, l.group)) {
				in = max(in, l.from)
			}
		})
		if out < in {
			return false
		}
	}
	return true
}

// A link is the section of a node for the steps that it conflicts with, from one position to
// another.
type link struct {
	from, to int32
	group    *group // of an access
	out, in  bool   // an edge may lead out, or in
}

// links has the sections of a node.
func (f *filter) links(i int32, has func(link)) {
	op := f.Steps[i].Op
	if op != reorder.Read && op != reorder.Write {
		has(link{f.Pos[i], f.Pos[i], nil, op != reorder.Join, op != reorder.Fork})
		return
	}
	groups := f.vars[f.Target[i]].groups
	for n := range groups {
		g := &groups[n]
		if g.thread != f.Thread[i] && (g.write || op == reorder.Write) {
			from, to := f.section(i, g.set)
			has(link{from, to, g, true, true})
		}
	}
}

// section is that of an access for others under some locks.
func (f *filter) section(i, set int32) (from, to int32) {
	lock := f.locks.common(f.under[i], set)
	if lock == reorder.None {
		return f.Pos[i], f.Pos[i]
	}
	return f.Around(i, lock)
}

// leaves reports whether an access of a group may come after access u.
func (f *filter) leaves(u int32, g *group) bool {
	return g == nil || g.last >= f.order.before(u, g.thread)
}

// enters reports whether an access of a group may come before access v.
func (f *filter) enters(v int32, g *group) bool {
	return g == nil || g.first < f.order.after(v, g.thread)
}
