// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import "slices"

// A grouper makes the groups of all items that several threads access. It sorts the accesses by
// item, and those of an item into groups: the parts of three lists.
type grouper struct {
	*analysis
	ends    []uint32 // by the number of an item: where its entries end in the list of all
	entries []entry
	groups  []group  // of the present item
	columns []column // of the present group
	refs    []ref
	places  map[groupKey]uint32 // of the groups of an item with many
	sizes   []uint32            // of the present item's groups: their entries
	of      []uint32            // the group of each entry of the present item
	sorted  []*entry
}

// An entry is an access, in the program order of its thread.
type entry struct {
	groupKey
	thread, node, stretch uint32
	outside               bool
}

// A groupKey is what the accesses of a group have in common beside the item.
type groupKey struct {
	kind  uint32
	locks lockSet
}

func newGrouper(a *analysis) *grouper {
	return &grouper{analysis: a, ends: make([]uint32, len(a.groups)+1),
		places: make(map[groupKey]uint32)}
}

// each has the accesses of each node to what several threads access, with the item's number.
func (g *grouper) each(f func(item, thread, n uint32, u *unit, e *access)) {
	for t := range g.nodes {
		for n := range g.nodes[t] {
			u := g.nodes[t][n].unit
			for i := range u.accesses {
				e := &u.accesses[i]
				if item, shared := g.owners.number(e.item); shared {
					f(item, uint32(t), uint32(n), u, e)
				}
			}
		}
	}
}

// all makes the groups.
func (g *grouper) all() {
	g.each(func(item, _, _ uint32, _ *unit, _ *access) { g.ends[item+1]++ })
	for i := range g.analysis.groups {
		g.ends[i+1] += g.ends[i]
	}
	total := g.ends[len(g.ends)-1]
	g.entries = make([]entry, total)
	g.refs = make([]ref, 0, total)
	g.each(func(item, thread, n uint32, u *unit, e *access) {
		locks := e.frame.locks
		g.entries[g.ends[item]] = entry{groupKey{e.kind, locks}, thread, n, e.frame.stretch,
			!u.marked && locks != 0}
		g.ends[item]++ // it was where they begin
	})
	from := uint32(0)
	for item := range g.analysis.groups {
		if to := g.ends[item]; to > from {
			g.analysis.groups[item] = g.item(g.entries[from:to])
			from = to
		}
	}
}

// item makes the groups of an item.
func (g *grouper) item(list []entry) []group {
	g.groups = g.groups[:0]
	g.sizes, g.of = g.sizes[:0], g.of[:0]
	for i := range list {
		k := g.place(list[i].groupKey)
		g.of = append(g.of, k)
		g.sizes[k]++
		x := &g.groups[k]
		x.outside = x.outside || list[i].outside
	}
	if len(g.sizes) > fewGroups {
		clear(g.places)
	}
	g.sorted = slices.Grow(g.sorted[:0], len(list))[:len(list)]
	end := uint32(0)
	for k, n := range g.sizes {
		g.sizes[k] = end // where the next of the group comes
		end += n
	}
	for i := range list {
		k := g.of[i]
		g.sorted[g.sizes[k]] = &list[i]
		g.sizes[k]++
	}
	from := uint32(0)
	for k, to := range g.sizes {
		g.groups[k].columns = g.split(g.sorted[from:to])
		from = to
	}
	return slices.Clone(g.groups) // as long as it has to be
}

// fewGroups is how many groups of an item are looked through. Of more, a map has the places.
const fewGroups = 8

// place is the number of a group of the present item. The group is made if it isn't there.
func (g *grouper) place(key groupKey) uint32 {
	list := g.groups
	for i := range min(fewGroups, len(list)) {
		if x := &list[i]; x.kind == key.kind && x.locks == key.locks {
			return uint32(i)
		}
	}
	k, ok := g.places[key]
	if !ok {
		k = uint32(len(list))
		if k >= fewGroups {
			g.places[key] = k
		}
		g.groups = append(g.groups, group{kind: key.kind, locks: key.locks})
		g.sizes = append(g.sizes, 0)
	}
	return k
}

// split makes the columns of a group, whose accesses come thread by thread.
func (g *grouper) split(list []*entry) []column {
	g.columns = g.columns[:0]
	from := len(g.refs)
	for i, e := range list {
		if i == 0 || list[i-1].thread != e.thread {
			from = len(g.refs)
			g.columns = append(g.columns, column{thread: e.thread})
		}
		r := ref{e.node, e.stretch}
		if len(g.refs) == from || g.refs[len(g.refs)-1] != r {
			g.refs = append(g.refs, r)
		}
		g.columns[len(g.columns)-1].refs = slices.Clip(g.refs[from:])
	}
	return slices.Clone(g.columns)
}
