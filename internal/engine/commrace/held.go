// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/vclock"
)

// held is what a call has locked of an object: all of it, where in is the object's own part, or a
// stripe. The call's touches of points without a key go to that part, its record while it is under
// way too.
type held struct {
	*Object
	in *stripe
}

// whole reports whether the call may change all of the object: it isn't divided, or all is locked.
func (h held) whole() bool { return h.in == &h.stripe }

// home is the part that has the touches of a key, for a call whose touches are in h.in.
func (h held) home(key uint64) *stripe {
	if d := h.divided.Load(); d != nil && h.whole() {
		return d.of(key)
	}
	return h.in
}

// own is the list for the touches that a call makes whose touches are in h.in.
func (h held) own(p uint8, key uint64) *list {
	pt := &h.Table().points[p]
	if pt.keyed {
		return listAt(h.home(key).keyLists(key), pt.index)
	}
	return listAt(unsafe.Pointer(h.in.global.P()), pt.index)
}

// parts is the number of lists that a point has, for a call whose touches are in h.in: that of a
// key has one. For a call that holds all of a divided object, any other point has one in each part.
func (h held) parts(p uint8) int {
	if !h.Table().points[p].keyed && h.whole() && h.divided.Load() != nil {
		return 1 + nStripes
	}
	return 1
}

// checked is the i-th of the lists of a point that a call has to be checked with: those of all
// calls that can conflict with it. A narrow call doesn't conflict with the others in a point
// without a key, so what is left there is the wide calls'.
func (h held) checked(p uint8, key uint64, i int) *list {
	if !h.Table().points[p].keyed && !h.whole() {
		h.in = &h.stripe
	}
	return h.part(p, key, i)
}

// part is the i-th of the lists of a point that a call may change.
func (h held) part(p uint8, key uint64, i int) *list {
	if i > 0 {
		h.in = &h.divided.Load()[i-1].stripe
	}
	return h.own(p, key)
}

// A walk goes over the lists of all points that conflict with one, for a call that touches that,
// and over no list that is empty.
type walk struct {
	h    held
	rest uint64 // the points that are left
	key  uint64
	part int // of the next of them
}

// conflicting is a walk for a touch of point p.
func conflicting(h held, p uint8, key uint64) walk {
	return walk{h: h, rest: h.Table().points[p].conflicts, key: key}
}

// next is the next list, and whether its point has a key; nil after the last one.
func (w *walk) next() (l *list, keyed bool) {
	for ; w.rest != 0; w.rest &= w.rest - 1 {
		q := lowest(w.rest)
		if pt := &w.h.Table().points[q]; pt.keyed {
			l = listAt(w.h.home(w.key).keyLists(w.key), pt.index)
			if !l.head.Nil() {
				w.rest &= w.rest - 1
				return l, true
			}
			continue
		}
		for w.part < w.h.parts(q) {
			l = w.h.checked(q, w.key, w.part)
			w.part++
			if !l.head.Nil() {
				return l, false
			}
		}
		w.part = 0
	}
	return nil, false
}

// pendingParts is the number of lists of pending calls that a call has to look at, and pendingPart
// the i-th of them.
func (h held) pendingParts() int {
	if h.whole() && h.divided.Load() != nil {
		return 1 + nStripes
	}
	return 1
}

func (h held) pendingPart(i int) *pendingCalls {
	if i > 0 {
		h.in = &h.divided.Load()[i-1].stripe
	}
	return &h.in.pendingCalls
}

// nonePending reports whether no call is under way but one, which may be nil, as far as a call has
// to look. A narrow call looks at those of its stripe, and whether there are wide ones.
func (h held) nonePending(but *pending) bool {
	if !h.whole() {
		return h.in.noneBut(but) && h.pending.Nil()
	}
	if h.divided.Load() == nil {
		return h.in.noneBut(but)
	}
	for i := range h.pendingParts() {
		if !h.pendingPart(i).noneBut(but) {
			return false
		}
	}
	return true
}

func (u *pendingCalls) noneBut(but *pending) bool {
	p := u.pending.P()
	return p == nil || p == but && p.next.Nil()
}

// widen locks all of the object in place of a stripe, if a narrow call has to change something
// outside of the stripe. It must come before anything is recorded of the call.
func (h held) widen(c *Call, t *vclock.Thread) held {
	if h.seesLittle(c, t) {
		return h
	}
	h.in.lock.Unlock()
	return h.lockAll(t)
}

// seesLittle reports whether a narrow call can be checked while one stripe is locked. The call has
// met nothing while it was under way, no wide call is under way, and those that conflict are known
// and of other goroutines, and have no part in a check-then-act.
func (o *Object) seesLittle(c *Call, t *vclock.Thread) bool {
	if p := pendingOf(c); !o.pending.Nil() || p != nil && (p.nEarly != 0 || p.nLater != 0) {
		return false
	}
	ts := o.Table().touched(c.Method, c.Beta)
	for conf := ts.wide; conf != 0; conf &= conf - 1 {
		for e := o.list(lowest(conf), 0).first(); e != nil; e = e.after() {
			a := e.act.P()
			if !t.Knows(e.at()) || vclock.Own(t, e.at()) ||
				!a.inherited.head.Nil() || !a.raced.head.Nil() {
				return false
			}
		}
	}
	return true
}

// endPending takes the record of a call off the list that has it, which is the result. Once the
// call was checked, over follows.
func (h held) endPending(c *Call) *pendingCalls {
	part := partOf(h, c)
	part.removePending(c)
	return &part.pendingCalls
}

// partOf is the part that has the record of a call.
func partOf(h held, c *Call) *stripe {
	if h.divided.Load() != nil {
		if m := &h.Table().Methods[c.Method]; m.narrow {
			return h.home(m.narrowKey(&c.Keys))
		}
	}
	return h.in
}
