// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

// A copied is what C_t was at some time, or, with version 0, a join of such, as far as it matters: the components of transactions
// that were running. It doesn't change while anything refers to it.
type copied struct {
	owner   uint32
	refs    uint32
	version uint64 // the copies of one thread are numbered, later ones are greater
	known   []known
}

// known is a component of a clock.
type known struct{ thread, time uint32 }

// at is component t.
func (k *copied) at(t uint32) uint32 {
	for i := range k.known {
		if k.known[i].thread == t {
			return k.known[i].time
		}
	}
	return 0
}

// A copyID names a copied; 0 is none. Cells have these instead of pointers, and count them, so that a copy is used again
// when no cell refers to it, nothing is allocated for a transaction, and the collector has nothing to look at.
type copyID uint32

// copies are all there are, and those that are not in use.
type copies struct {
	all  []copied
	free []copyID
}

func (c *copies) at(id copyID) *copied { return &c.all[id] }

// fresh is a copy without components, to which one thing refers. It may move the others.
func (c *copies) fresh(owner uint32, version uint64) copyID {
	var id copyID
	if n := len(c.free); n > 0 {
		id = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		if len(c.all) == 0 {
			c.all = append(c.all, copied{})
		}
		id = copyID(len(c.all))
		c.all = append(c.all, copied{})
	}
	k := &c.all[id]
	k.owner, k.refs, k.version, k.known = owner, 1, version, k.known[:0]
	return id
}

// set makes *at refer to a copy, or to none.
func (c *copies) set(at *copyID, id copyID) {
	old := *at
	if old == id {
		return
	}
	if id != 0 {
		c.all[id].refs++
	}
	*at = id
	if old != 0 {
		c.drop(old)
	}
}

// drop is told that one thing less refers to a copy.
func (c *copies) drop(id copyID) {
	k := &c.all[id]
	if k.refs--; k.refs == 0 {
		c.free = append(c.free, id)
	}
}
