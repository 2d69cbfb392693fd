// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

// A ref is what C_t was at some time, or a join of such clocks. It has the components that matter,
// those of transactions that were running, in one of three forms:
//
//	0                            no component
//	thread << 32 | component     one component; it is greater than 0
//	isSnapshot | index           several: a snapshot in snapshots.all
//
// So a cell has no pointers, and a transaction that knows no other needs no snapshot.
type ref uint64

const isSnapshot ref = 1 << 63

func refOf(thread, time uint32) ref { return ref(thread)<<32 | ref(time) }

func (r ref) thread() uint32 { return uint32(r >> 32) }
func (r ref) time() uint32   { return uint32(r) }

// A snapshot has several components of a clock. It doesn't change while a ref to it is kept.
type snapshot struct {
	refs  uint32 // the number of refs that are kept
	owner uint32 // the thread whose clock it is

	// version numbers the snapshots of one thread; later ones are greater, and have all that
	// earlier ones have. It is 0 if the snapshot is a join.
	version    uint64
	components []component
}

// A component is one of a clock: the transactions of a thread up to a time are known.
type component struct{ thread, time uint32 }

// The snapshots are all that were made, and the indices of those that are not in use.
type snapshots struct {
	all  []snapshot
	free []uint32
}

// of is the snapshot of a ref that has one. The pointer is good until the next call of fresh.
func (c *snapshots) of(r ref) *snapshot { return &c.all[uint32(r)] }

// fresh is a snapshot without components. One ref to it counts as kept.
func (c *snapshots) fresh(owner uint32, version uint64) ref {
	var i uint32
	if n := len(c.free); n > 0 {
		i = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		i = uint32(len(c.all))
		c.all = append(c.all, snapshot{})
	}
	k := &c.all[i]
	k.refs, k.owner, k.version, k.components = 1, owner, version, k.components[:0]
	return isSnapshot | ref(i)
}

// set keeps r at a place, instead of the ref that is there. All kept refs are changed by it, so the
// counts are right. The test that comes first keeps the usual case, one component, cheap.
func (c *snapshots) set(at *ref, r ref) {
	if old := *at; (old|r)&isSnapshot != 0 {
		c.count(old, r)
	}
	*at = r
}

// count counts one more ref to r and one less to old; a snapshot without refs is free.
func (c *snapshots) count(old, r ref) {
	if r&isSnapshot != 0 {
		c.of(r).refs++
	}
	if old&isSnapshot == 0 {
		return
	}
	k := c.of(old)
	if k.refs--; k.refs == 0 {
		c.free = append(c.free, uint32(old))
	}
}

// components are the components of a ref. They are good until the next call of fresh. The caller
// lends scratch, for a ref with one component.
func (c *snapshots) components(r ref, scratch *[1]component) []component {
	switch {
	case r == 0:
		return nil
	case r&isSnapshot != 0:
		return c.of(r).components
	}
	scratch[0] = component{r.thread(), r.time()}
	return scratch[:]
}

// at is component t of a ref.
func (c *snapshots) at(r ref, t uint32) uint32 {
	if r&isSnapshot == 0 {
		if r.thread() == t {
			return r.time()
		}
		return 0
	}
	return at(c.of(r).components, t)
}

// at is component t of a list, or 0.
func at(list []component, t uint32) uint32 {
	for i := range list {
		if list[i].thread == t {
			return list[i].time
		}
	}
	return 0
}
