// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A touch that subsumes another stands for it, because a call that isn't ordered after the earlier
// one isn't ordered after the later one. But a call under way may turn out to commute with the
// later one by a semantic exception, or the later one may come after it. Neither need hold for the
// earlier one. Two goroutines do if Value() == 0 { Set(1) }, where Sets of one value commute:
//
//	A  Value() = 0
//	                Value() = 0   B
//	                Set(1) begins, finds 0 there, and puts 1
//	A  Set(1), which finds 1 there: no change
//	                Set(1) ends
//
// A's Set subsumes A's Value. With that alone B's Set is in no race; but what Value returned
// depends on which came first. Once B's Set has ended, its own touch is there to be found. So only
// calls that are under way keep what was subsumed.

// keepSubsumed keeps a touch of a point, which a touch of call a subsumes, for the calls under way.
// At is the touch's epoch.
// Such a call keeps the touch where a may not stand for it. It also keeps the observations of its
// own goroutine, as it may be an act that depends on them.
func (h held) keepSubsumed(e *entry, at vclock.Epoch, point uint8, key uint64, a *Action) {
	t := h.Table()
	if t.Methods[a.Method].Open {
		return // an open call's early touches are complete when it begins
	}
	for i := range h.pendingParts() {
		h.pendingPart(i).keepSubsumed(t, e, at, point, key, a)
	}
}

// keepSubsumed is [Object.keepSubsumed] for the calls of a part.
func (u *pendingCalls) keepSubsumed(
	t *Table, e *entry, at vclock.Epoch, point uint8, key uint64, a *Action,
) {
	b := e.act.P()
	for p := u.pending.P(); p != nil; p = p.next.P() {
		isLater := p.comesBefore(a) && !p.comesBefore(b)
		ownObservation := at.Slot() == p.thread.P().Now().Slot() &&
			t.Methods[b.Method].Role == Observer
		if (isLater || ownObservation || t.Formula(p.method, a.Method).nExceptions > 0) &&
			p.mayTouchConflicting(t, point, key) {
			p.keepEarly(early{offheap.To(b), key, at, point})
		}
	}
}

// mayTouchConflicting reports whether the call may touch a point that conflicts with one.
func (p *pending) mayTouchConflicting(t *Table, point uint8, key uint64) bool {
	pt := &t.points[point]
	may := &t.Methods[p.method].may
	for i := range may.n {
		if pt.conflicts>>may.all[i].point&1 != 0 && (!pt.keyed || p.keys[may.all[i].key] == key) {
			return true
		}
	}
	return false
}

// markUnordered settles the subsumed touches that t doesn't know, before it joins the clocks of all
// that its call p doesn't commute with. After the join it would know them, by that join alone. Not
// being known by now, they aren't ordered before the call, and become early touches of the first
// kind.
func (p *pending) markUnordered(t *vclock.Thread) {
	for i := range p.nEarly {
		e := &p.early[i]
		if e.subsumedAt != 0 && !t.Knows(e.subsumedAt) && !p.comesBefore(e.act.P()) {
			e.subsumedAt = 0
		}
	}
}

// checkEarly is [Object.check] for the touches that were kept for p, a call of t.
func (p *pending) checkEarly(
	tab *Table, ts *touches, c *Call, t *vclock.Thread, a *Action, f *found, s Sink,
) {
	for i := range p.nEarly {
		e := &p.early[i]
		subsumed := e.subsumedAt != 0
		ordered := subsumed && (t.Knows(e.subsumedAt) || p.comesBefore(e.act.P()))
		for j := range ts.n {
			pt := &tab.points[ts.all[j].point]
			if pt.conflicts>>e.point&1 == 0 || pt.keyed && c.Keys[ts.all[j].key] != e.key {
				continue
			}
			switch {
			case subsumed && e.act.P().Goid == a.Goid:
				a.linkChecks(tab, e.act.P(), s) // it may be a's check
			case ordered:
			case subsumed:
				f.addSubsumed(tab, e.act.P(), a, pt.keyed, s)
			default:
				f.add(tab, e.act.P(), a, pt.keyed, s)
			}
		}
	}
}

// addSubsumed notes a race with a call whose touch was subsumed. It is the fallback: a race with a
// touch that is there tells more.
func (f *found) addSubsumed(t *Table, first, second *Action, keyed bool, s Sink) {
	if f.subsumedRace.First == nil && !t.excepted(first, second, s) {
		f.subsumedRace = Race{First: first.ref(), Second: second, Keyed: keyed}
	}
}

// useSubsumed reports the race with a subsumed touch, if there is no other.
func (f *found) useSubsumed() {
	switch {
	case f.subsumedRace.First == nil:
	case f.n == 0:
		f.race[0], f.n = f.subsumedRace, 1
	default:
		f.subsumedRace.First.unref()
	}
}
