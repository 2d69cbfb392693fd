// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"cmp"
	"slices"
	"sort"

	"github.com/commutego/commute/internal/event"
)

// An analysis is all that was kept of a trace, by variable and by thread.
type analysis struct {
	relation *event.Relation
	ordered  bool // there is must-order between threads
	forks    bool // see OnlyForks
	cycles   bool // see UntilCycle
	locks    *lockTable
	owners   *owners   // of items
	takers   *owners   // of locks
	threads  []*thread // those that have nodes
	nodes    [][]node  // of each of these, in program order
	groups   [][]group // by the number of an item that several threads access
	ranges   map[[3]uint32]span
	link     link      // of links
	uses     [][]usage // of relate, by the number of an item
	budget   int       // of steps, for all transactions
}

// A node is a unit in the program order of its thread. A unit that stands for several is there
// twice: as the first of them and as the last.
type node struct {
	*unit
	at uint64 // the index of its first event
}

// A group is accesses of one item, of one kind, under one set of locks.
type group struct {
	kind    uint32
	locks   lockSet
	outside bool // some are outside of transactions, with a lock held
	columns []column
}

// A column is those of a group that one thread makes, in program order.
type column struct {
	thread uint32 // in analysis.threads
	refs   []ref
}

// A ref is an access in a column: its node, and its stretch.
type ref struct{ node, stretch uint32 }

// A span is a range of numbers from lo on and before hi.
type span struct{ lo, hi uint32 }

// analyse puts in order what was kept.
func (c *Checker) analyse() *analysis {
	c.close()
	a := &analysis{relation: c.relation, ordered: c.ordered, forks: c.forks, cycles: c.cycles,
		locks: &c.locks, owners: &c.owners, takers: &c.takers, budget: c.budget,
		ranges: make(map[[3]uint32]span), groups: make([][]group, len(c.owners.items))}
	for _, th := range c.threads {
		if th == nil || len(th.stretches) == 0 {
			continue
		}
		th.beside, th.shapes = seen{}, nil // memory, from here on
		th.accesses, th.sections = nil, nil
		if list := c.nodes(th); len(list) > 0 {
			th.place = uint32(len(a.threads))
			a.threads, a.nodes = append(a.threads, th), append(a.nodes, list)
		}
	}
	c.free = nil
	newGrouper(a).all()
	return a
}

// nodes are the units of a thread, and its accesses outside to what other threads access, too. By
// an access of each stretch, a fork and a join are on a cycle.
func (c *Checker) nodes(th *thread) (list []node) {
	for _, u := range th.units {
		list = append(list, node{u, u.id.First})
		if u.count > 1 {
			list = append(list, node{u, u.twin})
		}
	}
	for i := range th.loose {
		l := &th.loose[i]
		stretch := i == 0 || th.loose[i-1].first.frame.stretch != l.first.frame.stretch
		if _, shared := c.owners.number(l.first.item); !shared && !(c.ordered && stretch) {
			continue
		}
		list = append(list, solo(th, &l.first))
		if l.last != nil {
			list = append(list, solo(th, l.last))
		}
	}
	slices.SortFunc(list, func(x, y node) int { return cmp.Compare(x.at, y.at) })
	return list
}

// solo is an access outside of transactions as a unit.
func solo(th *thread, e *access) node {
	u := &unit{
		thread: th.number, accesses: []access{*e}, count: 1,
		begin: e.frame.stretch, end: e.frame.stretch,
		id: event.Transaction{Thread: th.number, First: e.index, Pos: e.src}, lastIndex: e.index,
	}
	return node{u, e.index}
}

// groupsOf are the groups of an item, none if one thread has it.
func (a *analysis) groupsOf(item uint32) []group {
	if n, shared := a.owners.number(item); shared {
		return a.groups[n]
	}
	return nil
}

// conflict reports whether accesses of an item of two kinds conflict.
func (a *analysis) conflict(item, k, l uint32) bool {
	if item&1 == 0 {
		return k&l&atomically == 0 && (k|l)&1 == 1
	}
	return slices.Contains(a.relation.Conflicts(k), l)
}

// concurrent is the stretches of thread v that are concurrent with a stretch of thread t.
func (a *analysis) concurrent(t, stretch, v uint32) span {
	key := [3]uint32{t, stretch, v}
	s, ok := a.ranges[key]
	if !ok {
		mine, theirs := &a.threads[t].stretches[stretch], a.threads[v].stretches
		known := mine.At(theirs[0].Slot())
		s.lo = uint32(sort.Search(len(theirs), func(i int) bool {
			return theirs[i].Own() > known
		}))
		s.hi = uint32(sort.Search(len(theirs), func(i int) bool {
			return theirs[i].At(mine.Slot()) >= mine.Own()
		}))
		a.ranges[key] = s
	}
	return s
}

// refs are the accesses of a column that are concurrent with the accesses of a stretch of t.
func (a *analysis) refs(col *column, t, stretch uint32) []ref {
	if col.thread == t {
		return nil
	}
	if !a.ordered {
		return col.refs
	}
	s := a.concurrent(t, stretch, col.thread)
	lo := sort.Search(len(col.refs), func(i int) bool { return col.refs[i].stretch >= s.lo })
	hi := sort.Search(len(col.refs), func(i int) bool { return col.refs[i].stretch >= s.hi })
	return col.refs[lo:max(lo, hi)]
}

// any reports whether another thread has an access of a group that is concurrent with a stretch.
func (a *analysis) any(g *group, t, stretch uint32) bool {
	for i := range g.columns {
		if len(a.refs(&g.columns[i], t, stretch)) > 0 {
			return true
		}
	}
	return false
}

// before reports whether something of one unit comes before something of another in must-order, if
// the stretches are the first of the one and the last of the other.
func (a *analysis) before(t, first, v, last uint32) bool {
	x, y := &a.threads[t].stretches[first], &a.threads[v].stretches[last]
	return y.At(x.Slot()) >= x.Own()
}
