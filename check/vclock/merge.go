// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/offheap"

// merge is the join of two vectors, entry by entry the greater time. It uses up the caller's
// reference to a, only reads b, and returns a reference to the result, which is a or b itself
// where one of them is the greater everywhere: so later joins find the same nodes on both sides.
// O(d), d the number of nodes in which a and b differ.
func merge(a, b *node) *node { return mergeSince(a, b, nil) }

// mergeSince is merge where base, which may be nil, is known to be nowhere greater than a: only
// nodes in which b differs from base are visited.
func mergeSince(a, b, base *node) *node {
	switch {
	case b == nil || a == b || b == base:
		return a
	case a == nil:
		return ref(b)
	case a.level < b.level:
		a = raise(a, b.level)
	case a.level > b.level:
		// b stands for the first part of a vector of a's size.
		kid := a.inner().kid[0].P()
		if kid == nil {
			kid = raise(ref(b), a.level-1) // a kid's level is one less
			a = own(a)
			a.inner().kid[0] = offheap.To(kid)
			return a
		}
		if a.refs.Load() == 1 {
			a.inner().kid[0] = offheap.To(mergeSince(kid, b, base))
			return a
		}
		merged := mergeSince(ref(kid), b, base)
		if merged == kid {
			unref(merged)
			return a
		}
		a = own(a)
		unref(kid) // the clone's
		a.inner().kid[0] = offheap.To(merged)
		return a
	}
	if a.level == 0 {
		return mergeLeaf(a, b)
	}
	return mergeInner(a, b, base)
}

// covers reports whether b is nowhere greater than a, but perhaps at a slot that is not asked for. It
// may say no where it isn't, but for trees of the same height. O(d).
func covers(a, b *node, but uint32) bool {
	switch {
	case a == b || b == nil:
		return true
	case a == nil || a.level < b.level:
		return false
	case a.level > b.level:
		return covers(a.inner().kid[0].P(), b, within(but, 0, a.level))
	case a.level == 0:
		at, bt := &a.leaf().time, &b.leaf().time
		for i := range at {
			if at[i] < bt[i] && uint32(i) != but {
				return false
			}
		}
		return true
	}
	for i := range a.inner().kid {
		if !covers(a.inner().kid[i].P(), b.inner().kid[i].P(), within(but, uint32(i), a.level)) {
			return false
		}
	}
	return true
}

// within is a slot's number in kid i of a node of a level, a number that no slot has if it isn't there.
func within(slot, i, level uint32) uint32 {
	if first := i << (fanBits * level); slot-first < 1<<(fanBits*level) {
		return slot - first
	}
	return maxSlots
}

func mergeLeaf(a, b *node) *node {
	at, bt := &a.leaf().time, &b.leaf().time
	aLess, bLess := false, false
	for i := range at {
		if at[i] < bt[i] {
			aLess = true
		} else if at[i] > bt[i] {
			bLess = true
		}
	}
	switch {
	case !aLess:
		return a
	case !bLess:
		unref(a)
		return ref(b)
	}
	a = own(a)
	at = &a.leaf().time
	for i := range at {
		at[i] = max(at[i], bt[i])
	}
	return a
}

func mergeInner(a, b, base *node) *node {
	// While only a refers to a kid, merging may change it in place: the reference moves, it is not
	// added to. So a is made the caller's own at the first kid that isn't settled by looking.
	mine := a.refs.Load() == 1
	same := true // each kid of the result is b's
	for i := range b.inner().kid {
		ak, bk := a.inner().kid[i].P(), b.inner().kid[i].P()
		var since *node
		if base != nil && base.level == b.level {
			since = base.inner().kid[i].P()
		}
		if ak == bk {
			continue
		}
		if bk == nil {
			same = false
			continue
		}
		if !mine {
			merged := mergeSince(ref(ak), bk, since)
			if merged == ak {
				unref(merged)
				same = false
				continue
			}
			a = own(a)
			mine = true
			unref(ak)
			a.inner().kid[i] = offheap.To(merged)
		} else {
			a.inner().kid[i] = offheap.To(mergeSince(ak, bk, since))
		}
		same = same && a.inner().kid[i].P() == bk
	}
	if same {
		unref(a)
		return ref(b)
	}
	return a
}

// meet is entry by entry the smaller time. It uses up the caller's reference to a and returns one
// to the result; nil is the vector of zeros. O(d) like merge.
func meet(a, b *node) *node {
	switch {
	case a == b:
		return a
	case a == nil || b == nil:
		unref(a)
		return nil
	case a.level < b.level:
		return meetFirst(a, b)
	case a.level > b.level:
		kid := ref(a.inner().kid[0].P())
		unref(a)
		return meet(kid, b)
	case a.level == 0:
		a = own(a)
		at, bt := &a.leaf().time, &b.leaf().time
		for i := range at {
			at[i] = min(at[i], bt[i])
		}
		return a
	}
	a = own(a)
	for i, bk := range b.inner().kid {
		a.inner().kid[i] = offheap.To(meet(a.inner().kid[i].P(), bk.P()))
	}
	return a
}

func meetFirst(a, b *node) *node {
	for b != nil && b.level > a.level {
		b = b.inner().kid[0].P()
	}
	return meet(a, b)
}
