// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import "github.com/commutego/commute/internal/check/reorder"

// A filter says of transactions that they are on no cycle that they close themselves. Each cycle is
// closed by a transaction that makes two of its steps: one from which an edge leads out, and later
// one into which an edge leads. If no transaction may be such, there is no cycle.
type filter struct {
	*reorder.Segment
	vars  []variable
	held  [][]guard // by thread
	order *orders   // nil until it is needed
}

// A variable has who accesses it, and the locks that every access holds.
type variable struct {
	reader, writer int32 // the thread, several, or None
	locks          [maxLocks]int32
	n              int8 // of locks; -1 before the first access
}

const (
	several  = -2
	maxLocks = 4 // that are looked at of a variable
)

// A guard is a lock that a thread holds.
type guard struct {
	lock   int32
	from   int32 // position of the taking
	shared bool
}

// newFilter makes the filter of a segment. O(n), and O(k) for steps that come after those of other
// threads, of k threads.
func newFilter(s *reorder.Segment) *filter {
	f := &filter{Segment: s, vars: make([]variable, s.Vars)}
	for v := range f.vars {
		f.vars[v] = variable{reader: reorder.None, writer: reorder.None, n: -1}
	}
	f.held = make([][]guard, s.Threads)
	for i := range s.Steps {
		f.access(int32(i))
		f.hold(int32(i))
	}
	return f
}

// hold keeps the locks that a thread holds.
func (f *filter) hold(i int32) {
	t := f.Thread[i]
	switch op := f.Steps[i].Op; op {
	case reorder.Lock, reorder.RLock:
		f.held[t] = append(f.held[t], guard{f.Target[i], f.Pos[i], op == reorder.RLock})
	case reorder.Unlock, reorder.RUnlock:
		from := f.Mate[i]
		if from == reorder.None {
			return
		}
		list := &f.held[f.Thread[from]]
		for n := range *list {
			if (*list)[n].lock == f.Target[i] && (*list)[n].from == f.Pos[from] {
				*list = append((*list)[:n], (*list)[n+1:]...)
				return
			}
		}
	}
}

// access keeps what is known of the variable of an access.
func (f *filter) access(i int32) {
	s := &f.Steps[i]
	if s.Silent || s.Op != reorder.Read && s.Op != reorder.Write {
		return
	}
	t, v := f.Thread[i], &f.vars[f.Target[i]]
	by := &v.reader
	if s.Op == reorder.Write {
		by = &v.writer
	}
	if *by == reorder.None {
		*by = t
	} else if *by != t {
		*by = several
	}
	if v.n < 0 {
		v.n = 0
		for _, g := range f.held[t] {
			if v.n < maxLocks && (!g.shared || s.Op == reorder.Read) {
				v.locks[v.n] = g.lock
				v.n++
			}
		}
		return
	}
	n := int8(0)
	for _, l := range v.locks[:v.n] {
		for _, g := range f.held[t] {
			if g.lock == l && (!g.shared || s.Op == reorder.Read) {
				v.locks[n] = l
				n++
				break
			}
		}
	}
	v.n = n
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

// safe reports whether the transaction that begins with a step closes no cycle, in any order.
func (f *filter) safe(begin int32) bool {
	nodes := f.nodes(begin)
	return len(nodes) < 2 || f.guarded(nodes) || f.ordered(nodes)
}

// guarded reports whether locks that are held throughout rule all cycles out. An edge leads out of
// node u to f, and from g into the later node v, and f and g are made between u and v. So if the
// transaction holds a lock from before u to v, which every access of v's variable holds, g can't be
// there; and neither f, if it holds one from u to after v.
func (f *filter) guarded(nodes []int32) bool {
	first, last := 0, len(nodes)-1
	for changed := true; changed && first < last; {
		changed = false
		for first < last && f.holds(nodes[first], nodes[first], nodes[last]) {
			first++
			changed = true
		}
		for first < last && f.holds(nodes[last], nodes[first], nodes[last]) {
			last--
			changed = true
		}
	}
	return first >= last
}

// holds reports whether the transaction holds a lock from before step u to after step v, which
// every access of the variable of step i holds.
func (f *filter) holds(i, u, v int32) bool {
	if op := f.Steps[i].Op; op != reorder.Read && op != reorder.Write {
		return false
	}
	x, t := &f.vars[f.Target[i]], f.Thread[i]
	for _, l := range x.locks[:max(x.n, 0)] {
		if f.Holds(t, l, f.Pos[u], f.Pos[v]) {
			return true
		}
	}
	return false
}

// ordered reports whether the order of the trace, as far as no order of the window can change it,
// rules all cycles out: the trace atomicity segment has no two nodes that conflict within it. The
// other side f of an edge out of u must be able to come after u, and g before v.
func (f *filter) ordered(nodes []int32) bool {
	if f.order == nil {
		f.order = newOrders(f.Segment)
	}
	first, last := 0, len(nodes)-1
	for first < last && !f.leaves(nodes[first]) {
		first++
	}
	for first < last && !f.enters(nodes[last]) {
		last--
	}
	return first >= last
}

// leaves reports whether a step that conflicts with u may come after it.
func (f *filter) leaves(u int32) bool {
	if op := f.Steps[u].Op; op != reorder.Read && op != reorder.Write {
		return f.Steps[u].Op != reorder.Join
	}
	return f.Others(u, func(t int32, last func(int32) int32) bool {
		return last(int32(len(f.Of[t]))) >= f.order.before(u, t)
	})
}

// enters reports whether a step that conflicts with v may come before it.
func (f *filter) enters(v int32) bool {
	if op := f.Steps[v].Op; op != reorder.Read && op != reorder.Write {
		return f.Steps[v].Op != reorder.Fork
	}
	return f.Others(v, func(t int32, last func(int32) int32) bool {
		return last(f.order.after(v, t)) != reorder.None
	})
}
