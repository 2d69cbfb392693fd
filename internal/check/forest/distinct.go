// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"maps"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Limits of the search for an order that is not view serializable.
const (
	maxOutcomes = 128
	maxItems    = 12
)

// A distinct search looks for an interleaving of a few units in which some read sees what it sees
// in no order of whole units, or some variable is written last by what writes it last in none.
//
// Units that need not come before these are put off. One that must, and writes a variable, stays
// ahead of the interleaving. In an order of whole units it may be anywhere, for each variable
// by itself: so more orders are tried than there are.
type distinct struct {
	schedule
	items    []uint32
	closed   []bool // by item: no other unit writes it
	earlier  []bool // by item: a unit that comes before these may write it
	outcomes []outcome
	orders   []set // of whole units: its outcomes
	paths    map[string]int
	seen     map[view]bool
	ran      []int // beside trail: the lanes
}

// An outcome is what an order of whole units leads to, with the earlier writes at some place.
// Writes are numbered by lane and operation.
type outcome struct {
	reads  map[[2]int]int32 // by lane and operation
	last   []int32          // by item
	path   string           // the lanes, in the order in which their units come
	placed bool             // the earlier writes came
}

// Writes that are none of the units.
const (
	unwritten = int32(-1) // the last one before the interleaving
	older     = int32(-2) // what that has overwritten
)

// A set is one of outcomes.
type set [maxOutcomes / 64]uint64

func (s *set) add(n int)    { s[n/64] |= 1 << (n % 64) }
func (s *set) remove(n int) { s[n/64] &^= 1 << (n % 64) }

func (s *set) meets(o *set) bool {
	for i := range s {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// A view is a state: a cut, the last write of each item, and the outcomes that have agreed so far
// on the item.
type view struct {
	done  [maxLanes]uint16
	last  [maxItems]int32
	alive [maxItems]set
}

// distinct looks for such an interleaving of parts of threads.
func (a *analysis) distinct(parts map[uint32]span, budget int) []event.Step {
	s, ok := a.lanes(parts, budget)
	if !ok {
		return nil
	}
	d := &distinct{schedule: *s, seen: make(map[view]bool), paths: make(map[string]int)}
	if !d.prepare(parts) {
		return nil
	}
	var v view
	for i := range v.last {
		v.last[i] = unwritten
		for n := range d.outcomes {
			v.alive[i].add(n)
		}
	}
	if d.visit(v, 0) && (!a.cycles || d.goOn()) {
		return d.trail
	}
	return nil
}

// goOn goes on with the interleaving until there is a cycle of conflicts, or stops it there. It
// reports whether there is one. Whatever comes is not view serializable, so that at the end there
// is one.
func (d *distinct) goOn() bool {
	var c cut
	cyclic := false
	for n, i := range d.ran {
		if c, cyclic = d.do(c, i); cyclic {
			d.trail = d.trail[:n+1]
			return true
		}
	}
	return d.schedule.visit(c, d.ran[len(d.ran)-1])
}

// prepare finds the variables, and what each order of whole units leads to.
func (d *distinct) prepare(parts map[uint32]span) bool {
	for i := range d.lanes {
		for k := range d.lanes[i].ops {
			e := d.lanes[i].ops[k].access
			if e == nil || slices.Contains(d.items, e.item) || !d.between(e.item) {
				continue
			}
			if e.item&1 == 1 || len(d.items) == maxItems {
				return false
			}
			d.items = append(d.items, e.item)
			closed, earlier := d.others(e.item, parts)
			d.closed, d.earlier = append(d.closed, closed), append(d.earlier, earlier)
		}
	}
	o := outcome{reads: make(map[[2]int]int32), placed: !slices.Contains(d.earlier, true)}
	for x := range d.items {
		o.last = append(o.last, unwritten)
		if d.earlier[x] {
			o.last[x] = older
		}
	}
	return d.order(make([]int, len(d.lanes)), o)
}

// between reports whether lanes have conflicts on an item. Otherwise its reads see the same in each
// order of whole units.
func (d *distinct) between(item uint32) bool {
	by, writes := -1, false
	several := false
	for i := range d.lanes {
		for k := range d.lanes[i].ops {
			if e := d.lanes[i].ops[k].access; e != nil && e.item == item {
				several = several || by >= 0 && by != i
				writes = writes || item&1 == 1 || e.kind == 1
				by = i
			}
		}
	}
	return several && writes
}

// others reports whether no unit but the parts of threads writes an item, and whether one does that
// comes before some of these.
func (d *distinct) others(item uint32, parts map[uint32]span) (closed, earlier bool) {
	closed = true
	groups := d.groupsOf(item)
	for k := range groups {
		g := &groups[k]
		for i := range g.columns {
			col := &g.columns[i]
			p, ours := parts[col.thread]
			if g.kind != 1 {
				continue
			}
			for _, r := range col.refs {
				if ours && p.lo <= r.node && r.node < p.hi {
					continue
				}
				closed = false
				earlier = earlier || ours && r.node < p.lo || !ours && d.leads(col.thread, r.node,
					parts)
			}
		}
	}
	return closed, earlier
}

// leads reports whether something of a node comes before something of parts of other threads.
func (d *distinct) leads(t, n uint32, parts map[uint32]span) bool {
	if !d.ordered {
		return false
	}
	for v, p := range parts {
		if d.before(t, d.nodes[t][n].begin, v, d.nodes[v][p.hi-1].end) {
			return true
		}
	}
	return false
}

// order adds the outcomes of each order of whole units that goes on from done.
func (d *distinct) order(done []int, o outcome) bool {
	if !o.placed {
		p := o.clone()
		p.placed = true
		for x := range d.items {
			if d.earlier[x] {
				p.last[x] = unwritten
			}
		}
		if !d.order(done, p) {
			return false
		}
	}
	over := true
	for i := range d.lanes {
		ops := d.lanes[i].ops
		if done[i] == len(ops) {
			continue
		}
		over = false
		next, p := slices.Clone(done), o.clone()
		p.path += string(rune('0' + i))
		for k := done[i]; k < len(ops) && ops[k].unit == ops[done[i]].unit; k++ {
			switch x := d.itemOf(&ops[k]); {
			case x < 0:
			case ops[k].access.kind == 0:
				p.reads[[2]int{i, k}] = p.last[x]
			default:
				p.last[x] = writeOf(i, k)
			}
			next[i] = k + 1
		}
		if !d.order(next, p) {
			return false
		}
	}
	return !over || !o.placed || d.add(o)
}

// add adds an outcome to those of its order.
func (d *distinct) add(o outcome) bool {
	if len(d.outcomes) == maxOutcomes {
		return false
	}
	n, ok := d.paths[o.path]
	if !ok {
		n = len(d.orders)
		d.paths[o.path] = n
		d.orders = append(d.orders, set{})
	}
	d.orders[n].add(len(d.outcomes))
	d.outcomes = append(d.outcomes, o)
	return true
}

// itemOf is the place of an operation's variable in d.items, -1 if it has none there.
func (d *distinct) itemOf(o *op) int {
	if o.access == nil {
		return -1
	}
	return slices.Index(d.items, o.access.item)
}

func writeOf(lane, op int) int32 { return int32(lane<<16 | op) }

func (o *outcome) clone() outcome {
	return outcome{maps.Clone(o.reads), slices.Clone(o.last), o.path, o.placed}
}

// agrees reports whether the view is that of some order of whole units so far.
func (d *distinct) agrees(v *view) bool {
	return slices.ContainsFunc(d.orders, func(order set) bool {
		for x := range d.items {
			if !v.alive[x].meets(&order) {
				return false
			}
		}
		return true
	})
}

// visit goes on from a state, and reports whether that leads to one that agrees with no order.
func (d *distinct) visit(v view, lane int) bool {
	if !d.agrees(&v) {
		return true
	}
	if d.seen[v] {
		return false
	}
	d.analysis.budget -= perState
	if d.budget--; d.budget < 0 {
		return false
	}
	d.seen[v] = true
	over := true
	for k := range d.lanes {
		i := (lane + k) % len(d.lanes)
		over = over && int(v.done[i]) == len(d.lanes[i].ops)
		if !d.enabled(cut{done: v.done}, i) {
			continue
		}
		n := len(d.trail)
		d.trail = append(d.trail, d.lanes[i].ops[v.done[i]].step)
		d.ran = append(d.ran, i)
		if d.visit(d.next(v, i), i) {
			return true
		}
		d.trail, d.ran = d.trail[:n], d.ran[:n]
	}
	return over && d.ends(v)
}

// next is the state after the next operation of a lane.
func (d *distinct) next(v view, i int) view {
	k := int(v.done[i])
	v.done[i]++
	o := &d.lanes[i].ops[k]
	x := d.itemOf(o)
	if x < 0 {
		return v
	}
	if o.access.kind == 1 {
		v.last[x] = writeOf(i, k)
		return v
	}
	for n := range d.outcomes {
		if d.outcomes[n].reads[[2]int{i, k}] != v.last[x] {
			v.alive[x].remove(n)
		}
	}
	return v
}

// ends reports whether the last writes at the end are those of none of the orders that are left.
func (d *distinct) ends(v view) bool {
	for n := range d.outcomes {
		for x := range d.items {
			if d.closed[x] && d.outcomes[n].last[x] != v.last[x] {
				v.alive[x].remove(n)
			}
		}
	}
	return !d.agrees(&v)
}
