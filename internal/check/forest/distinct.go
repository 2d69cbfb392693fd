// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"slices"

	"github.com/commutego/commute/internal/event"
)

// Limits of the search for an order that is not view serializable.
const (
	maxOrders = 64 // of whole units
	maxItems  = 8
)

// A distinct search looks for an interleaving of a few units in which some read sees what it sees
// in no order of whole units, or some variable is written last by what writes it last in none.
type distinct struct {
	schedule
	items  []uint32
	closed []bool // by item: no other unit writes it
	orders []outcome
	seen   map[view]bool
}

// An outcome is what an order of whole units leads to. Writes are numbered by lane and operation;
// unwritten is what was there before.
type outcome struct {
	reads map[[2]int]int32 // by lane and operation
	last  []int32          // by item
}

// unwritten is no write of the units.
const unwritten = int32(-1)

// A view is a state: a cut, the last write of each item, and the orders that have agreed so far.
type view struct {
	done  [maxLanes]uint16
	last  [maxItems]int32
	alive uint64
}

// distinct looks for such an interleaving of parts of threads.
func (a *analysis) distinct(parts map[uint32]span, budget int) []event.Step {
	s, ok := a.lanes(parts, budget)
	if !ok {
		return nil
	}
	d := &distinct{schedule: *s, seen: make(map[view]bool)}
	if !d.prepare(parts) {
		return nil
	}
	v := view{alive: 1<<len(d.orders) - 1}
	for i := range v.last {
		v.last[i] = unwritten
	}
	if d.visit(v, 0) {
		return d.trail
	}
	return nil
}

// prepare finds the variables, and what each order of whole units leads to.
func (d *distinct) prepare(parts map[uint32]span) bool {
	for i := range d.lanes {
		for k := range d.lanes[i].ops {
			e := d.lanes[i].ops[k].access
			if e == nil || slices.Contains(d.items, e.item) {
				continue
			}
			if e.item&1 == 1 || len(d.items) == maxItems {
				return false
			}
			d.items = append(d.items, e.item)
			d.closed = append(d.closed, d.isClosed(e.item, parts))
		}
	}
	return d.order(make([]int, len(d.lanes)), outcome{make(map[[2]int]int32), nil})
}

// isClosed reports whether no unit but the parts of threads writes an item.
func (d *distinct) isClosed(item uint32, parts map[uint32]span) bool {
	for k := range d.groups[item] {
		g := &d.groups[item][k]
		for i := range g.columns {
			col := &g.columns[i]
			p := parts[col.thread]
			if g.kind == 1 && slices.ContainsFunc(col.refs, func(r ref) bool {
				return r.node < p.lo || r.node >= p.hi
			}) {
				return false
			}
		}
	}
	return true
}

// order adds the outcome of each order of whole units that goes on from done.
func (d *distinct) order(done []int, o outcome) bool {
	over := true
	for i := range d.lanes {
		ops := d.lanes[i].ops
		if done[i] == len(ops) {
			continue
		}
		over = false
		next, p := slices.Clone(done), o.clone(len(d.items))
		for k := done[i]; k < len(ops) && ops[k].unit == ops[done[i]].unit; k++ {
			if e := ops[k].access; e != nil {
				x := slices.Index(d.items, e.item)
				if e.kind == 0 {
					p.reads[[2]int{i, k}] = p.last[x]
				} else {
					p.last[x] = writeOf(i, k)
				}
			}
			next[i] = k + 1
		}
		if !d.order(next, p) {
			return false
		}
	}
	if over {
		d.orders = append(d.orders, o.clone(len(d.items)))
	}
	return len(d.orders) <= maxOrders
}

func writeOf(lane, op int) int32 { return int32(lane<<16 | op) }

func (o outcome) clone(items int) outcome {
	p := outcome{make(map[[2]int]int32, len(o.reads)), slices.Clone(o.last)}
	for k, v := range o.reads {
		p.reads[k] = v
	}
	for len(p.last) < items {
		p.last = append(p.last, unwritten)
	}
	return p
}

// visit goes on from a state, and reports whether that leads to one that agrees with no order.
func (d *distinct) visit(v view, lane int) bool {
	if v.alive == 0 {
		return true
	}
	if d.seen[v] {
		return false
	}
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
		if d.visit(d.next(v, i), i) {
			return true
		}
		d.trail = d.trail[:n]
	}
	return over && d.ends(v)
}

// next is the state after the next operation of a lane.
func (d *distinct) next(v view, i int) view {
	k := int(v.done[i])
	v.done[i]++
	e := d.lanes[i].ops[k].access
	if e == nil {
		return v
	}
	x := slices.Index(d.items, e.item)
	if e.kind == 1 {
		v.last[x] = writeOf(i, k)
		return v
	}
	if v.last[x] == unwritten && !d.closed[x] {
		return v // other writes may come between
	}
	for n := range d.orders {
		if d.orders[n].reads[[2]int{i, k}] != v.last[x] {
			v.alive &^= 1 << n
		}
	}
	return v
}

// ends reports whether the last writes at the end are those of none of the orders that are left.
func (d *distinct) ends(v view) bool {
	for n := range d.orders {
		for x := range d.items {
			if d.closed[x] && d.orders[n].last[x] != v.last[x] {
				v.alive &^= 1 << n
			}
		}
	}
	return v.alive == 0
}
