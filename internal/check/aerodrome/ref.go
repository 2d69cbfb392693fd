// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

// A ref is what C_t was at some time, or a join of such, as far as it matters: the components of
// transactions that were running. If that is one component, which is greater than 0, the ref is its
// thread in the upper 32 bits, below the highest, and the component in the lower; otherwise the
// highest bit and the index of a copied. 0 is a clock without components.
//
// So a cell has no pointers, and a transaction that knows no other needs nothing but its cells.
type ref uint64

const isCopied ref = 1 << 63

func refOf(thread, time uint32) ref { return ref(thread)<<32 | ref(time) }

func (r ref) thread() uint32 { return uint32(r >> 32) }
func (r ref) time() uint32   { return uint32(r) }

// A copied is several components. It doesn't change while a ref to it is kept.
type copied struct {
	refs  uint32 // how many are
	owner uint32
	// the copies of one thread are numbered, later ones are greater; 0 if it's a join
	version uint64
	known   []known
}

// known is a component of a clock.
type known struct{ thread, time uint32 }

// copies are all copied, and those that are not in use.
type copies struct {
	all  []copied
	free []uint32
}

// of is what a ref that isCopied stands for. It's good until the next call of fresh.
func (c *copies) of(r ref) *copied { return &c.all[uint32(r)] }

// fresh is a copied without components, of which one ref is kept.
func (c *copies) fresh(owner uint32, version uint64) ref {
	var i uint32
	if n := len(c.free); n > 0 {
		i = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		i = uint32(len(c.all))
		c.all = append(c.all, copied{})
	}
	k := &c.all[i]
	k.refs, k.owner, k.version, k.known = 1, owner, version, k.known[:0]
	return isCopied | ref(i)
}

// set keeps r at a place instead of what is there.
func (c *copies) set(at *ref, r ref) {
	if old := *at; (old|r)&isCopied != 0 {
		c.count(old, r)
	}
	*at = r
}

func (c *copies) count(old, r ref) {
	if r&isCopied != 0 {
		c.of(r).refs++
	}
	if old&isCopied == 0 {
		return
	}
	k := c.of(old)
	if k.refs--; k.refs == 0 {
		c.free = append(c.free, uint32(old))
	}
}

// known are the components of a ref. They are good until the next call of fresh; scratch is for
// one.
func (c *copies) known(r ref, scratch *[1]known) []known {
	switch {
	case r == 0:
		return nil
	case r&isCopied != 0:
		return c.of(r).known
	}
	scratch[0] = known{r.thread(), r.time()}
	return scratch[:]
}

// at is component t of a ref.
func (c *copies) at(r ref, t uint32) uint32 {
	if r&isCopied == 0 {
		if r.thread() == t {
			return r.time()
		}
		return 0
	}
	return at(c.of(r).known, t)
}

func at(list []known, t uint32) uint32 {
	for i := range list {
		if list[i].thread == t {
			return list[i].time
		}
	}
	return 0
}
