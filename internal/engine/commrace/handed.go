// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/vclock"
)

// Handing over. An object that one goroutine fills and another one uses from then on, ordered after
// all of that, gets the second one as its owner. The touches of the first stay: a third goroutine
// may know less than the owner. What makes that right:
//
//   - No call is under way, and the new owner knows all touches. So none of its calls is in a race
//     with them, or joins anything. Nor does one of them have a check that another goroutine's call
//     has inherited, or raced with: then the object isn't handed over.
//   - What an owner's call repeats or succeeds was made since the object was handed over (isSince).
//     The first of these calls went the long way, so it was checked with all touches of others. No
//     touch of others has come since. Where lists are long, a touch may be left then, and be
//     subsumed by a later call without its checks: a check and an act are told as a plain race.
//   - A goroutine that is not the owner takes the lock for each call: still tells it to, as while a
//     change is under way. It makes its touch busy before it looks there, and the owner is set
//     before touches are looked at. So a touch that moves meanwhile is seen, or stays where it is.
//
// A look at all touches takes long. So it is made where they are few, and a few times for each
// object.
const (
	maxHanded   = 3
	handedCells = 14 // log of the greatest number of cells
)

// handOver makes t the owner in place of another thread, or the object one that has no owner. No
// touch lags behind. O(touches).
func handOver(o *Object, t *vclock.Thread) {
	if o.handed < maxHanded && o.changing.Load() == 0 && o.pending.Nil() && o.dividing.Load() == 0 {
		o.owner.Store(uint64(t.Pin())) // the call may leave no touch, and the goroutine end
		if o.log <= handedCells && o.allKnown(t) {
			o.handed++
			return
		}
	}
	o.owner.Store(uint64(shared))
}

// allKnown reports whether t knows all touches, and no call that is kept has met a check of another
// goroutine.
func (l *pointLists) allKnown(t *vclock.Thread) bool {
	if !allKnownOf(t, unsafe.Pointer(l.global.P()), l.Table().global) {
		return false
	}
	for i := range uint32(1) << l.log {
		if l.cells.Nil() {
			break
		}
		c := l.cell(i)
		if *c != 0 && !allKnownOf(t, listsOf(c), l.Table().keyed) {
			return false
		}
	}
	return true
}

// allKnownOf is allKnown for n lists.
func allKnownOf(t *vclock.Thread, lists unsafe.Pointer, n int) bool {
	for i := range n {
		for e := listAt(lists, i).head.P(); e != nil; e = e.next.P() {
			if !t.Knows(e.at()) || !e.act.P().inherited.head.Nil() || !e.act.P().raced.head.Nil() {
				return false
			}
		}
	}
	return true
}

// isSince reports whether an epoch is one of t, the owner, since it owns the object.
func (o *ownership) isSince(t *vclock.Thread, e vclock.Epoch) bool {
	return vclock.Own(t, e) && e >= vclock.Epoch(o.owner.Load())
}
