// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "github.com/commutego/commute/internal/engine/offheap"

// A knowledge is what a clock knows, as it was before a join changes that: root holds it, but for
// extra and the clock's own slot, of which it knows times up to that of own.
type knowledge struct {
	root         *node
	extra, epoch Epoch
	cached       Epoch // the latest time that is known of the slot that was asked for last
}

// holds reports whether all that n holds is known: by rule (R) it is, if the moment is at which a
// thread made n. A false answer may be wrong. O(levels), but O(1) for the same thread again.
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

// asked reports whether holds was last asked for a node that the same thread has made.
func (k *knowledge) hasCached(n *node) bool {
	return k.cached != 0 && k.cached.Slot() == n.maker.Slot()
}

// A join is the join of two clocks, a and b. By is the moment of the thread that a is the clock of
// from then on, 0 if it is no thread's.
type join struct {
	a, b  knowledge
	maker Epoch
}

// trees is the join of the vectors of a and b, entry by entry the greater time. It uses up the
// caller's reference to a's, only reads b's, and returns a reference to the result, which is one of
// them where that is the greater everywhere: so later joins find the same nodes on both sides. What
// a or b knows beside its vector may be missing there. Base, which may be nil, is known to be
// nowhere greater than a's.
//
// O(d), d the nodes that differ and that neither side knows of, but those of the same place in base.
func (j *join) vectors(base *node) *node {
	a, b := j.a.root, j.b.root
	switch {
	case b == nil || a == b || b == base:
		return a
	case a == nil:
		return ref(b)
	case a.level|b.level == 0:
		return mergeLeaf(a, b, j.maker)
	case j.a.includes(b):
		return a
	}
	ref(a) // as long as it is asked, it doesn't change
	joined := j.merge(a, b, base)
	unref(a)
	return joined
}

// merge is trees for a part of both vectors.
func (j *join) merge(a, b, base *node) *node {
	switch {
	case b == nil || a == b || b == base:
		return a
	case a == nil:
		return ref(b)
	case a.level < b.level:
		a = raise(a, b.level, j.maker)
	case a.level > b.level:
		return j.mergeFirst(a, b, base)
	}
	if a.level == 0 && !j.a.hasCached(b) && !j.b.hasCached(a) {
		return mergeLeaf(a, b, j.maker) // to look at both is no more than to ask
	}
	switch {
	case j.a.includes(b):
		return a
	case j.b.includes(a):
		unref(a)
		return ref(b)
	case a.level == 0:
		return mergeLeaf(a, b, j.maker)
	}
	return j.mergeInner(a, b, base)
}

// mergeFirst is merge where b stands for the first part of a vector of a's size.
func (j *join) mergeFirst(a, b, base *node) *node {
	kid := a.inner().kid[0].P()
	if kid == nil {
		kid = raise(ref(b), a.level-1, j.maker) // a kid's level is one less
		a = writable(a, j.maker)
		a.inner().kid[0] = offheap.To(kid)
		return a
	}
	merged := j.merge(ref(kid), b, base)
	if merged == kid {
		unref(merged)
		return a
	}
	a = writable(a, j.maker)
	unref(kid)
	a.inner().kid[0] = offheap.To(merged)
	return a
}

func mergeLeaf(a, b *node, maker Epoch) *node {
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
	a = writable(a, maker)
	at = &a.leaf().time
	for i := range at {
		at[i] = max(at[i], bt[i])
	}
	return a
}

func (j *join) mergeInner(a, b, base *node) *node {
	// While only a refers to a kid, merging may change it in place: the reference moves, it is not
	// added to. So a is made the caller's own at the first kid that isn't settled by looking.
	writableA := a.refs.Load() == 1
	allB := true // each kid of the result is b's
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
			allB = false
			continue
		}
		if !writableA {
			merged := j.merge(ref(ak), bk, baseKid)
			if merged == ak {
				unref(merged)
				allB = false
				continue
			}
			a = writable(a, j.maker)
			writableA = true
			unref(ak)
			a.inner().kid[i] = offheap.To(merged)
		} else {
			a.maker = j.maker
			a.inner().kid[i] = offheap.To(j.merge(ak, bk, baseKid))
		}
		allB = allB && a.inner().kid[i].P() == bk
	}
	if allB {
		unref(a)
		return ref(b)
	}
	return a
}

// covers reports whether b is nowhere greater than a's vector, but perhaps at a slot that is not
// asked for. It may say no where it isn't, but for trees of the same height. O(d) like trees.
func (k *knowledge) covers(a, b *node, except uint32) bool {
	switch {
	case a == b || b == nil:
		return true
	case k.includes(b):
		return true
	case a == nil || a.level < b.level:
		return false
	case a.level > b.level:
		return k.covers(a.inner().kid[0].P(), b, within(except, 0, a.level))
	case a.level == 0:
		at, bt := &a.leaf().time, &b.leaf().time
		for i := range at {
			if at[i] < bt[i] && uint32(i) != except {
				return false
			}
		}
		return true
	}
	for i := range a.inner().kid {
		if !k.covers(a.inner().kid[i].P(), b.inner().kid[i].P(), within(except, uint32(i), a.level)) {
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

// meet is entry by entry the smaller time. It uses up the caller's reference to a and returns one
// to the result; nil is the vector of zeros. O(d), d the nodes in which they differ.
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
		a = writable(a, 0)
		at, bt := &a.leaf().time, &b.leaf().time
		for i := range at {
			at[i] = min(at[i], bt[i])
		}
		return a
	}
	a = writable(a, 0)
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
