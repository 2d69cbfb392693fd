// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What the thread of a call learns. After Algorithm 1's check, a thread joins the clocks of the
// earlier calls that its call doesn't commute with. This is the happens-before order that the
// object itself promises, as sync.Map does for a Load that returns what a Store has put.

// Join makes t know what the calls that c doesn't commute with knew, as far as those have ended or
// may have taken effect. It is for calls that call back into the program: the callback may rely on
// what the call has seen by then. The result is the object's generation. As long as that stays,
// there is nothing more to join.
func (o *Object) Join(c *Call, t *vclock.Thread, s Sink) uint32 {
	h := o.lockAll(t)
	if s != nil {
		s.Joins()
	}
	h.learn(c, t)
	gen := o.gen.Load()
	h.unlock()
	return gen
}

// learn is Join with all of the object locked.
func (h held) learn(c *Call, t *vclock.Thread) {
	ts := h.Table().touched(c.Method, c.Beta)
	if p := pendingOf(c); p != nil {
		ts = &h.Table().Methods[c.Method].may // there are no results yet that would say less
		h.keepUnknown(p, ts, c, t)
	} else {
		h.extendUnknown(ts, c, t)
	}
	h.join(ts, c, t)
}

// join joins the clocks of the conflicting calls, whether they have ended or are pending. A pending
// call that has released nothing yet cannot have taken effect, as no other goroutine could have
// seen it. Where calls take effect without an announcement, each pending call may have.
func (h held) join(ts *touches, c *Call, t *vclock.Thread) {
	for i := range ts.n {
		w := conflicting(h, ts.all[i].point, c.Keys[ts.all[i].key])
		for l, _ := w.next(); l != nil; l, _ = w.next() {
			for e := l.first(); e != nil; e = e.after() {
				if at := e.at(); !t.Knows(at) {
					t.JoinAt(&e.act.P().snapshot, at)
				}
			}
		}
	}
	for i := range h.pendingParts() {
		h.pendingPart(i).join(h.Table(), ts, c, t)
	}
}

// join is [held.join] for the calls of a part that are under way.
func (u *pendingCalls) join(tab *Table, ts *touches, c *Call, t *vclock.Thread) {
	for p := u.pending.P(); p != nil; p = p.next.P() {
		if p.thread.P() != t && (tab.quiet || p.epoch() != 0) &&
			p.mayConflict(tab, ts, c) {
			st := p.thread.P().RemoteSnapshot() // its thread runs meanwhile
			// While the call is in a callback, it has not taken effect again since its
			// epoch was fixed.
			if !p.resumed() {
				st.ExcludeHeld(p.epoch())
			}
			t.Join(&st)
			st.Drop()
		}
	}
}

// noteLater notes with calls under way that a, a call of t that has ended, comes after them. That
// is so if t knows the epoch that is held for them: they have done something that t waited for.
func (u *pendingCalls) noteLater(a *Action, t *vclock.Thread) {
	for p := u.pending.P(); p != nil; p = p.next.P() {
		epoch := p.epoch()
		if epoch == 0 || p.thread.P() == t || !t.Knows(epoch) {
			continue
		}
		if p.nLater < maxLater {
			p.later[p.nLater] = offheap.To(a.ref())
		}
		p.nLater = min(p.nLater+1, maxLater+1)
	}
}

// maxLater is the number of later calls that are kept of one call. If there are more, each call
// that ended meanwhile is taken for one of them, which costs races and no false alarm.
const maxLater = 4

// mayConflict reports whether the call may touch a point that conflicts with one of ts.
func (p *pending) mayConflict(t *Table, ts *touches, c *Call) bool {
	may := &t.Methods[p.method].may
	for i := range ts.n {
		pt := &t.points[ts.all[i].point]
		for j := range may.n {
			if pt.conflicts>>may.all[j].point&1 != 0 &&
				(!pt.keyed || c.Keys[ts.all[i].key] == p.keys[may.all[j].key]) {
				return true
			}
		}
	}
	return false
}

// comesBefore is found.comesAfter for a call that is under way.
func (p *pending) comesBefore(a *Action) bool { return isLater(p.nLater, &p.later, a) }

// isLater reports whether a is among n calls, of which there is room for maxLater.
func isLater(n uint32, after *[maxLater]offheap.Ref[Action], a *Action) bool {
	if n > maxLater {
		return true // it may be one that had no room
	}
	for i := range n {
		if after[i].P() == a {
			return true
		}
	}
	return false
}

// epoch is the epoch that the pending call's touches will get, if that is fixed already; else 0.
func (p *pending) epoch() vclock.Epoch {
	if held := vclock.Epoch(p.held.Load()); held != 0 {
		return held
	}
	return p.thread.P().Held()
}

// resumed reports whether the call is back from a callback. It may have taken effect since, and a
// call that sees that comes after all that the callback did.
func (p *pending) resumed() bool {
	held := vclock.Epoch(p.held.Load())
	return held != 0 && p.thread.P().Held() == held
}
