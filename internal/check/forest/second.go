// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"cmp"
	"slices"
	"sort"
)

// A nodeID is a node: its thread, and its number there.
type nodeID struct{ thread, number uint32 }

// A search looks for cycles that leave a transaction by one node and come back by a later one: the
// second condition. Units that are reached are those of each thread from some number on, since
// program order leads forward.
type search struct {
	*analysis
	t       uint32
	u       *unit
	window  []span // by thread: the nodes that are neither wholly before u nor wholly after it
	from    []uint32
	queue   []nodeID           // from where on more of a thread has been reached, and up to where
	until   []uint32           // beside queue
	via     map[nodeID]arrival // how what is reached first was reached
	ends    uint32             // the last position of the out-node that is followed
	own     map[uint32][]link  // the links of u by item
	all     []link
	budget  int
	start   int // the budget at first
	arrived func(exit, in crossing) (enough bool)
	stopped bool
	direct  bool // the units that close cycles are the only ones on them
}

// An arrival is how a node was reached: from another one, or from the transaction itself.
type arrival struct {
	from nodeID
	out  *crossing // if it was reached from the transaction
}

// A crossing is a node by which the transaction is left or entered, and the unit on the other side.
type crossing struct {
	interval
	lock   uint32
	locked bool
	access *access
	step   *step
	other  nodeID
}

func newSearch(a *analysis, t uint32, u *unit, w *viewer) *search {
	s := &search{
		analysis: a, t: t, u: u, budget: min(searchBudget, a.budget),
		window: make([]span, len(a.nodes)),
		from:   make([]uint32, len(a.nodes)), via: make(map[nodeID]arrival),
		own: make(map[uint32][]link)}
	for v, list := range a.nodes {
		w := span{0, uint32(len(list))}
		if a.ordered {
			w.lo = uint32(sort.Search(len(list), func(i int) bool {
				return !a.before(uint32(v), list[i].end, t, u.begin)
			}))
			w.hi = uint32(sort.Search(len(list), func(i int) bool {
				return a.before(t, u.end, uint32(v), list[i].begin)
			}))
		}
		if uint32(v) == t || w.hi < w.lo {
			w.hi = w.lo
		}
		s.window[v], s.from[v] = w, w.hi
	}
	s.start = s.budget
	a.links(t, u, func(l *link) bool {
		if w == nil || w.viewed(l) {
			s.own[l.access.item] = append(s.own[l.access.item], *l)
			s.all = append(s.all, *l)
		}
		return true
	})
	return s
}

// pay takes what was used from the budget of all transactions. To begin takes some, too.
func (s *search) pay() { s.analysis.budget -= s.start - s.budget + len(s.all) + len(s.window) }

// run tells of each cycle until arrived says that it is enough. It reports whether there was budget
// for all. The out-nodes come in the order in which they end: what an earlier one reaches
// need not be visited again.
func (s *search) run(arrived func(exit, in crossing) bool) (done bool) {
	s.arrived = arrived
	outs := s.outs()
	for i := range outs {
		s.ends = outs[i].last
		s.leave(&outs[i])
		s.follow()
		if s.stopped || s.budget < 0 {
			break
		}
	}
	return s.budget >= 0
}

// An exit is an out-node: links with one interval, or a step.
type exit struct {
	interval
	links []link
	step  *step
}

// outs are the out-nodes.
func (s *search) outs() (list []exit) {
	byInterval := make(map[interval]int)
	for _, l := range s.all {
		i, ok := byInterval[l.interval]
		if !ok {
			i = len(list)
			byInterval[l.interval] = i
			list = append(list, exit{interval: l.interval})
		}
		list[i].links = append(list[i].links, l)
	}
	for i := range s.u.steps {
		if p := &s.u.steps[i]; p.out && s.crosses(p) {
			list = append(list, exit{interval: interval{p.pos, p.pos}, step: p})
		}
	}
	slices.SortStableFunc(list, func(x, y exit) int { return cmp.Compare(x.last, y.last) })
	return list
}

// leave reaches what is on the other side of an out-node.
func (s *search) leave(out *exit) {
	for i := range out.links {
		l := &out.links[i]
		c := crossing{interval: l.interval, lock: l.lock, locked: l.locked, access: l.access}
		s.cross(l.access, l.group, s.t, arrival{out: &c})
	}
	if p := out.step; p != nil {
		c := crossing{interval: out.interval, step: p}
		s.must(s.t, p.stretch, arrival{out: &c})
	}
}

// cross reaches the units with accesses of a group that are concurrent with an access of thread t.
func (s *search) cross(e *access, g *group, t uint32, by arrival) {
	for i := range g.columns {
		col := &g.columns[i]
		v := col.thread
		if v == t || v == s.t || s.from[v] == s.window[v].lo {
			continue
		}
		s.budget--
		refs := s.refs(col, t, e.frame.stretch)
		k := sort.Search(len(refs), func(i int) bool { return refs[i].node >= s.window[v].lo })
		if k < len(refs) {
			s.reach(nodeID{v, refs[k].node}, by)
		}
	}
}

// must reaches the units of other threads that come after a stretch of thread t.
func (s *search) must(t, stretch uint32, by arrival) {
	if !s.ordered {
		return
	}
	for v, list := range s.nodes {
		if w := s.window[v]; uint32(v) != t && s.from[v] > w.lo {
			s.budget--
			i := uint32(sort.Search(len(list), func(i int) bool {
				return s.before(t, stretch, uint32(v), list[i].end)
			}))
			s.reach(nodeID{uint32(v), max(i, w.lo)}, by)
		}
	}
}

// reach reaches a node, and what its thread does later.
func (s *search) reach(n nodeID, by arrival) {
	if until := s.from[n.thread]; n.number < until {
		s.from[n.thread] = n.number
		s.via[n] = by
		s.queue, s.until = append(s.queue, n), append(s.until, until)
	}
}

// follow visits all that has been reached and not visited.
func (s *search) follow() {
	for len(s.queue) > 0 && !s.stopped && s.budget >= 0 {
		n := len(s.queue) - 1
		entry, until := s.queue[n], s.until[n]
		s.queue, s.until = s.queue[:n], s.until[:n]
		for i := entry.number; i < until && !s.stopped && s.budget >= 0; i++ {
			s.visit(nodeID{entry.thread, i})
		}
	}
}

// visit asks whether a unit leads back to the transaction, and follows what else it leads to.
func (s *search) visit(n nodeID) {
	u := s.nodes[n.thread][n.number]
	s.budget -= 1 + len(u.accesses)/4
	s.back(n, u.unit)
	for i := range u.accesses {
		e := &u.accesses[i]
		if s.stopped {
			return
		}
		groups := s.groupsOf(e.item)
		for k := range groups {
			if g := &groups[k]; s.conflict(e.item, e.kind, g.kind) {
				s.cross(e, g, n.thread, arrival{from: n})
			}
		}
	}
	s.must(n.thread, u.begin, arrival{from: n})
}

// back tells of cycles that a unit closes: those that enter the transaction after s.ends.
func (s *search) back(n nodeID, u *unit) {
	for i := range u.accesses {
		e := &u.accesses[i]
		for k := range s.own[e.item] {
			l := &s.own[e.item][k]
			if l.first <= s.ends || !s.meets(l, n.thread, e) {
				continue
			}
			s.arrive(crossing{interval: l.interval, lock: l.lock, locked: l.locked,
				access: l.access, other: n})
			if s.stopped {
				return
			}
		}
	}
	for i := range s.u.steps {
		p := &s.u.steps[i]
		if p.in && s.crosses(p) && p.pos > s.ends && s.gained(p, n.thread, u) && !s.stopped {
			s.arrive(crossing{interval: interval{p.pos, p.pos}, step: p, other: n})
		}
	}
}

// gained reports whether something of a unit comes before a step of the transaction and not before
// the step before it.
func (s *search) gained(p *step, v uint32, u *unit) bool {
	mine, theirs := s.threads[s.t].stretches, s.threads[v].stretches
	slot := theirs[0].Slot()
	if int(p.stretch)+1 >= len(mine) {
		return false // it is the last event of its thread
	}
	before, after := mine[p.stretch].At(slot), mine[p.stretch+1].At(slot)
	return after >= theirs[u.begin].Own() && before < after && before < theirs[u.end].Own()
}

// arrive tells of a cycle that comes back by an in-node.
func (s *search) arrive(in crossing) {
	if s.direct {
		s.stopped = s.arrived(crossing{}, in)
		return
	}
	first := in.other
	for { // the node by which the thread was entered, and back from there
		by := s.via[s.entry(first)]
		if by.out != nil {
			out := *by.out
			out.other = s.entry(first)
			s.stopped = s.arrived(out, in)
			return
		}
		first = by.from
	}
}

// entry is the node of a thread by which a later one was reached: the last that was reached first.
func (s *search) entry(n nodeID) nodeID {
	for ; ; n.number-- {
		if _, ok := s.via[n]; ok {
			return n
		}
	}
}

// path is the parts of threads on the way from the out-node to a node: of each thread the nodes
// from the first that is needed to the last, in the order in which the threads are left.
func (s *search) path(n nodeID) (parts map[uint32]span) {
	parts = make(map[uint32]span)
	for {
		entry := s.entry(n)
		p, ok := parts[n.thread]
		if !ok {
			p = span{entry.number, n.number + 1}
		}
		parts[n.thread] = span{min(p.lo, entry.number), max(p.hi, n.number+1)}
		by := s.via[entry]
		if by.out != nil {
			return parts
		}
		n = by.from
	}
}
