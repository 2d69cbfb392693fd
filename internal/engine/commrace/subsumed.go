// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A touch that supersedes another stands for it: who isn't ordered after the first isn't after the second. But a call that is
// under way may turn out to commute with the second by a residue, or the second may come after it, while neither holds for
// the first. Two goroutines do if Value() == 0 { Set(1) }, where Sets of one value commute:
//
//	A  Value() = 0
//	                Value() = 0   B
//	                Set(1) begins, finds 0 there, and puts 1
//	A  Set(1), which finds 1 there: no change
//	                Set(1) ends
//
// A's Set supersedes its Value. With that alone B's Set is in no race; but what Value returned depends on which came first.
// Once a call has ended, what made the change is there to be found; so only calls that are under way keep what was superseded.

// hide is for a touch of a point that one of a supersedes: calls under way keep it where a may not stand for it, or it's an
// observation of their own goroutine, which they may depend on.
func (o *Object) keepSubsumed(e *entry, point uint8, key uint64, a *Action) {
	if o.Table().Methods[a.Method].Open {
		return // what an open call has to be checked with is known when it begins
	}
	b := e.act.P()
	for p := o.pending.P(); p != nil; p = p.next.P() {
		isLater := p.comesBefore(a) && !p.comesBefore(b)
		ownObservation := e.epoch.Slot() == p.thread.P().Now().Slot() && o.Table().Methods[b.Method].Role == Observer
		if (isLater || ownObservation || o.Table().Formula(p.method, a.Method).nExceptions > 0) && o.mayTouchConflicting(p, point, key) {
			p.keepEarly(early{offheap.To(b), key, e.epoch, point})
		}
	}
}

// mayMeet reports whether a pending call may touch a point that conflicts with one.
func (o *Object) mayTouchConflicting(p *pending, point uint8, key uint64) bool {
	pt := &o.Table().points[point]
	may := &o.Table().Methods[p.method].may
	for i := range may.n {
		if pt.conflicts>>may.all[i].point&1 != 0 && (!pt.keyed || p.keys[may.all[i].key] == key) {
			return true
		}
	}
	return false
}

// learned is for the moment before t learns of all that its call p doesn't commute with: what was superseded, and isn't known
// by then, isn't ordered before the call.
func (p *pending) markUnordered(t *vclock.Thread) {
	for i := range p.nEarly {
		if e := &p.early[i]; e.subsumedAt != 0 && !t.Knows(e.subsumedAt) && !p.comesBefore(e.act.P()) {
			e.subsumedAt = 0
		}
	}
}

// spareIs notes a race with a call that was superseded, for the case that there is no other.
func (f *found) addSubsumed(o *Object, first, second *Action, keyed bool, s Sink) {
	if f.subsumedRace.First == nil && !o.excepted(first, second, s) {
		f.subsumedRace = Race{First: first.ref(), Second: second, Keyed: keyed}
	}
}

// settle decides what becomes of the spare race.
func (f *found) useSubsumed() {
	switch {
	case f.subsumedRace.First == nil:
	case f.n == 0:
		f.race[0], f.n = f.subsumedRace, 1
	default:
		f.subsumedRace.First.unref()
	}
}
