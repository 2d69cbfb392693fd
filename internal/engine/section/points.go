// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// The points of a lock are a hash table. A map that only grows has as many points as keys, and few
// of them are in a processor's cache. So a look for one that is not known must not look at others:
// their hashes are in the table, which is one array, with the next place for what has none.

// A points is the points of a lock. The zero points is an empty table.
type points struct {
	log   uint // the table has 1<<log places
	n     int  // and so many points
	due   int  // shed does nothing while there are fewer
	table offheap.Ref[hashed]
}

// A hashed is a place in the table.
type hashed struct {
	hash  uint64
	point offheap.Ref[point] // nil if the place is free
}

const (
	firstPoints = 3 // the log of the first table
	mostPoints  = 2 // a table has at least so many places for each point
)

// fewPoints are not worth a look for what tells nothing. Tests change it.
var fewPoints = 32

var arrays offheap.Arrays

// at is the i-th place.
func (t *points) at(i uint64) *hashed {
	return (*hashed)(unsafe.Add(unsafe.Pointer(t.table.P()),
		uintptr(i)*unsafe.Sizeof(hashed{})))
}

// find is the point of a place with a hash, nil if it is not known. O(1) on average.
func (t *points) find(h uint64, o *place, c class, key uint64) *point {
	if t.table.Nil() {
		return nil
	}
	for i := h >> (64 - t.log); ; i = (i + 1) & (1<<t.log - 1) {
		e := t.at(i)
		p := e.point.P()
		if p == nil || e.hash == h && p.place.P() == o && p.class == c && p.key == key &&
			p.lives() {
			return p
		}
	}
}

// add adds a point with a hash, which the table has not. It returns how many points of memory that
// was freed were left out. O(1) on average, for each point that was ever added.
func (t *points) add(h uint64, p *point) (freed int) {
	if t.table.Nil() {
		t.log = firstPoints
		t.table = newTable(t.log)
	} else if mostPoints*(t.n+1) > 1<<t.log {
		freed = t.grow()
	}
	t.put(h, p)
	t.n++
	return freed
}

// put puts a point into the first free place from that of its hash on.
func (t *points) put(h uint64, p *point) {
	i := h >> (64 - t.log)
	for !t.at(i).point.Nil() {
		i = (i + 1) & (1<<t.log - 1)
	}
	*t.at(i) = hashed{h, offheap.To(p)}
}

// grow makes the table larger, and leaves out the points of memory that was freed.
func (t *points) grow() (freed int) {
	return t.rebuild(t.log+1, (*point).lives)
}

// shed frees the points that tell nothing more, at the end of an opaque section that excludes all
// others. What comes later comes after all sections so far, and the points' values are void. So a
// key's point is as one that is not known, unless an activation has seen it. The result is how many
// points there were. O(1) for each point that was ever added.
func (t *points) shed() (freed int) {
	if t.n < max(t.due, fewPoints) {
		return 0
	}
	kept := 0
	for i := range uint64(1) << t.log {
		if p := t.at(i).point.P(); p != nil && p.tells() {
			kept++
		}
	}
	log := uint(firstPoints)
	for 2*mostPoints*kept > 1<<log {
		log++
	}
	t.due = 2 * kept
	return t.rebuild(min(log, t.log), (*point).tells)
}

// lives reports whether the memory of a point was not freed.
func (p *point) lives() bool { return p.generation == p.place.P().generation.Load() }

// tells reports whether something depends on which record a point is, or on what it has.
func (p *point) tells() bool {
	return p.lives() && (p.class != element || p.noted || p.acts.n|p.links.n != 0)
}

// rebuild makes the table one of 1<<log places, and frees the points that are not to be kept.
func (t *points) rebuild(log uint, keep func(*point) bool) (freed int) {
	old := *t
	t.log = log
	t.table = newTable(t.log)
	for i := range uint64(1) << old.log {
		e := old.at(i)
		p := e.point.P()
		switch {
		case p == nil:
		case keep(p):
			t.put(e.hash, p)
		default:
			p.free()
			freed++
		}
	}
	t.n -= freed
	old.drop()
	return freed
}

// clear frees all points, and makes the table empty.
func (t *points) clear() {
	for i := range uint64(1) << t.log {
		if p := t.at(i).point.P(); p != nil {
			p.free()
		}
	}
	t.drop()
	*t = points{}
}

// drop gives back the table's memory.
func (t *points) drop() { arrays.Put(unsafe.Pointer(t.table.P()), t.log+1) }

// newTable is an empty table of 1<<log places, of two words each.
func newTable(log uint) offheap.Ref[hashed] { return offheap.To((*hashed)(arrays.Get(log + 1))) }
