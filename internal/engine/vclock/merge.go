// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// A knowledge is what a clock knows before a join changes it. Root holds it, except for two epochs:
// extra, and epoch, which is the clock's own.
type knowledge struct {
	root         *node
	extra, epoch Epoch
	cached       Epoch // what is known of the slot that includes asked for last
}

// includes reports whether k knows all that n holds. By rule (R) it does if it knows the epoch at
// which a thread made n. A false answer may be wrong. O(levels), or O(1) if the node's maker is the
// same thread as in the last call.
func (k *knowledge) includes(n *node) bool {
	maker := n.maker
	if maker == 0 {
		return false
	}
	slot := maker.Slot()
	if k.cached == 0 || k.cached.Slot() != slot {
		k.cached = makeEpoch(slot, get(k.root, slot))
		for _, e := range [...]Epoch{k.extra, k.epoch} {
			if e.Slot() == slot {
				k.cached = max(k.cached, e)
			}
		}
	}
	return maker <= k.cached
}

// hasCached reports whether includes(n) is O(1).
func (k *knowledge) hasCached(n *node) bool {
	return k.cached != 0 && k.cached.Slot() == n.maker.Slot()
}

// A join is the join of two clocks, a and b. Its result becomes the clock of a. Maker is the new
// epoch of the thread that a belongs to, 0 if a is no thread's clock.
type join struct {
	a, b  knowledge
	maker Epoch
}

// vectors is the join of the vectors of a and b: entry by entry the greater time. It uses up the
// caller's reference to a's, only reads b's, and returns a reference to the result.
//
// Where one vector is the greater in all entries of a node, the result has that very node. So
// later joins find the same nodes on both sides, and don't visit them. A node can also be skipped
// by rule (R), without a look at its entries, if the other side knows its maker. Then entries may
// be missing from the result that the clock knows beside its vector: its extra epoch, and its
// own.
//
// Base, which may be nil, is known to be nowhere greater than a's vector; a node of b that is also
// in base is no news. O(d), d the nodes that differ and that none of these rules skips.
func (j *join) vectors(base *node) *node {
	a, b := j.a.root, j.b.root
	switch {
	case b == nil || a == b || b == base:
		return a
	case a == nil:
		return ref(b)
	case a.level|b.level == 0:
		joined, _ := mergeLeaf(a, b, j.maker)
		return joined
	case j.a.includes(b):
		return a
	}
	ref(a) // a.includes reads this tree while merge builds the new one, so it must not be changed
	var joined *node
	if a.level == deltaLevel || b.level == deltaLevel {
		joined = j.mergeDeltas(a, b, base)
	} else {
		base, _ = split(base)
		joined, _ = j.merge(a, b, base)
	}
	unref(a)
	return joined
}

// merge is vectors for a part of both: a and b are nodes that begin with the same slot. It uses up
// the caller's reference to a. Same is set if a and b were found to hold the same.
func (j *join) merge(a, b, base *node) (joined *node, same bool) {
	switch {
	case a == b:
		return a, true
	case b == nil || b == base:
		return a, false
	case a == nil:
		return ref(b), false
	case a.level < b.level:
		if j.b.includes(a) {
			unref(a)
			return ref(b), false
		}
		a = raise(a, b.level, j.maker)
	case a.level == 1 && b.level == 0:
		return mergeLow(a, b, j.maker), false
	case a.level > b.level:
		return j.mergeFirst(a, b, base), false
	}
	if a.level == 0 && !j.a.hasCached(b) && !j.b.hasCached(a) {
		return mergeLeaf(a, b, j.maker) // comparing 16 entries costs no more than includes
	}
	switch {
	case j.a.includes(b):
		return a, false
	case j.b.includes(a):
		unref(a)
		return ref(b), false
	case a.level == 0:
		return mergeLeaf(a, b, j.maker)
	case a.level == 1:
		return mergeBlock(a, b, j.maker)
	}
	return j.mergeInner(a, b, base)
}

// mergeFirst is merge where b is of a lower level than a, so that it covers only the first slots of
// a, those of its first kid.
func (j *join) mergeFirst(a, b, base *node) *node {
	kid := a.inner().kid[0].P()
	if kid == nil {
		kid = raise(ref(b), a.level-1, j.maker) // a kid's level is one less
		a = writable(a, j.maker)
		a.inner().kid[0] = offheap.To(kid)
		return a
	}
	merged, _ := j.merge(ref(kid), b, base)
	if merged == kid {
		unref(merged)
		return a
	}
	a = writable(a, j.maker)
	unref(kid)
	a.inner().kid[0] = offheap.To(merged)
	return a
}

// mergeLeaf is merge for two leaves.
func mergeLeaf(a, b *node, maker Epoch) (joined *node, same bool) {
	at, bt := &a.leaf().time, &b.leaf().time
	aLess, bLess := false, false
	for i := range at {
		if at[i] < bt[i] {
			aLess = true
		} else if at[i] > bt[i] {
			bLess = true
		}
	}
	if !aLess || !bLess {
		return greater(a, b, aLess, bLess)
	}
	a = writable(a, maker)
	at = &a.leaf().time
	for i := range at {
		at[i] = max(at[i], bt[i])
	}
	return a, false
}

// greater is the result of merge where not both of a and b are less somewhere. Of two nodes that
// hold the same it is the one that others have, too.
func greater(a, b *node, aLess, bLess bool) (joined *node, same bool) {
	if !aLess && (bLess || a.refs.Load() > 1) {
		return a, !bLess
	}
	unref(a)
	return ref(b), !aLess
}

// mergeInner is merge for two inner nodes of one level.
//
// A kid may be changed in place only while a is its one referrer. So there are two ways to merge
// it. As long as a is shared, the kid gets a reference more, and merge has to copy it; if the
// result is another node, a is made writable. From then on a's reference to each kid moves into
// merge, and the result's moves back.
func (j *join) mergeInner(a, b, base *node) (joined *node, same bool) {
	writableA := a.refs.Load() == 1
	same = true
	allB := true // each kid of the result holds what b's does: then b itself is the result
	for i := range b.inner().kid {
		ak, bk := a.inner().kid[i].P(), b.inner().kid[i].P()
		var baseKid *node
		if base != nil && base.level == b.level {
			baseKid = base.inner().kid[i].P()
		}
		if ak == bk {
			continue
		}
		if bk == nil {
			allB, same = false, false
			continue
		}
		if !writableA {
			ref(ak)
		} else {
			a.maker = j.maker
		}
		merged, sameKid := j.merge(ak, bk, baseKid)
		same = same && sameKid
		allB = allB && (sameKid || merged == bk)
		switch {
		case writableA:
		case merged == ak:
			unref(merged)
			continue
		default:
			a = writable(a, j.maker)
			writableA = true
			unref(ak)
		}
		a.inner().kid[i] = offheap.To(merged)
	}
	switch {
	case same && a.refs.Load() > 1:
		return a, true
	case allB:
		unref(a)
		return ref(b), same
	}
	return a, false
}

// covers reports whether k knows all that b holds. The slot except is left out. O(d), as vectors.
func (k *knowledge) covers(b *node, except uint32) bool {
	if k.root == b {
		return true
	}
	a, _ := split(k.root)
	b, newer := split(b)
	for _, e := range newer {
		if e.Slot() != except && !k.knows(e) {
			return false
		}
	}
	return k.coversTree(a, b, 0, except)
}

// coversTree is covers for a part of the trees of both: a and b begin with the slot first. Where a
// is nil, the vector of k is asked slot by slot.
func (k *knowledge) coversTree(a, b *node, first, except uint32) bool {
	switch {
	case a == b || b == nil || k.includes(b):
		return true
	case a != nil && a.level > max(b.level, 1):
		return k.coversTree(a.inner().kid[0].P(), b, first, except)
	case b.level == 0:
		return k.coversLeaf(a, b, first, except)
	case b.level == 1:
		return k.coversBlock(a, b, first, except)
	}
	for i, kid := range b.inner().kid {
		var ak *node
		if a != nil && a.level == b.level {
			ak = a.inner().kid[i].P()
		}
		if !k.coversTree(ak, kid.P(), first+uint32(i)*capacity(b.level-1), except) {
			return false
		}
	}
	return true
}

// coversLeaf is coversTree where b is a leaf, and a a leaf or a block. What a hasn't may be beside
// the tree.
func (k *knowledge) coversLeaf(a, b *node, first, except uint32) bool {
	for i, t := range b.leaf().time {
		if t == 0 || a != nil && a.low(uint32(i)) >= t {
			continue
		}
		if e := makeEpoch(first+uint32(i), t); e.Slot() != except && !k.knows(e) {
			return false
		}
	}
	return true
}

// meet is the meet of two trees: entry by entry the smaller time. It uses up the caller's reference
// to a and returns one to the result. O(d), d the nodes in which they differ.
func meet(a, b *node) *node {
	switch {
	case a == b:
		return a
	case a == nil || b == nil:
		unref(a)
		return nil
	case a.level == 1 && b.level == 1:
		return meetBlock(a, b)
	case a.level|b.level <= 1:
		return meetLow(a, b)
	case a.level < b.level:
		return meetFirst(a, b)
	case a.level > b.level:
		kid := ref(a.inner().kid[0].P())
		unref(a)
		return meet(kid, b)
	}
	a = writable(a, 0)
	for i, bk := range b.inner().kid {
		a.inner().kid[i] = offheap.To(meet(a.inner().kid[i].P(), bk.P()))
	}
	return a
}

// meetFirst is meet where b is of a higher level than a: a has zeros for all slots but the first.
func meetFirst(a, b *node) *node {
	for b != nil && b.level > max(a.level, 1) {
		b = b.inner().kid[0].P()
	}
	return meet(a, b)
}
