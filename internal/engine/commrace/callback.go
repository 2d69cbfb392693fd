// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import "github.com/commutego/commute/internal/engine/vclock"

// Leave is told that c, a call of t, is about to call back into the program. It joins what c may
// have seen by then, unless t has joined that at the object's present generation, known. The result
// is the generation.
//
// The object is locked for all of it, as in Resume. A call that joins c meanwhile joins what c did
// in its callbacks only if c is back from them, and a trace has to say which it was.
func (o *Object) Leave(
	c *Call, t *vclock.Thread, joined bool, known uint32, s Sink,
) (generation uint32) {
	h := o.lockAll(t)
	p := pendingOf(c)
	switch {
	case !joined || known != o.gen.Load():
		s.Joins()
	case p != nil:
		s.Leaves()
	}
	// The call may have taken effect already. The epoch of that is kept in the call, for Resume
	// holds it again.
	if p != nil && c.Held() == 0 {
		t.Hold()
		c.Hold(t.Held())
	}
	t.RestoreHeld(0)
	if !joined || known != o.gen.Load() {
		h.learn(c, t)
	}
	generation = o.gen.Load()
	h.unlock()
	return generation
}

// Resume is told that the callback of c, a call of t, is over.
func (o *Object) Resume(c *Call, t *vclock.Thread, s Sink) {
	if pendingOf(c) == nil {
		t.RestoreHeld(0)
		return
	}
	h := o.lockAll(t)
	s.Resumes()
	t.RestoreHeld(c.Held())
	h.unlock()
}

// A call that calls back into the program joins the clocks of others on the way, before each
// callback (Join). When it ends, its thread knows those calls, and check would take them for
// ordered. So they are kept as early touches, or the call is marked as uncertain.

// keepUnknown keeps the touches that t is about to join, as far as there is room.
func (h held) keepUnknown(p *pending, ts *touches, c *Call, t *vclock.Thread) {
	p.markUnordered(t)
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for conf := h.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			for k := range h.parts(q) {
				for e := h.part(q, key, k).first(); e != nil; e = e.after() {
					if !t.Knows(e.at()) {
						p.keepEarly(early{e.act, key, 0, q})
					}
				}
			}
		}
	}
}

// extendUnknown is for a call of t that observes and calls back, while other goroutines' calls
// begin and end. What it returns may depend on everything that has begun by now. So calls that
// began up to the present generation can't be said to come after the observation: see
// Action.unknownUntil. The observation's action is among the touches of its points, or has been
// inherited from there.
func (h held) extendUnknown(ts *touches, c *Call, t *vclock.Thread) {
	slot := t.Now().Slot()
	extend := func(a *Action) {
		if a.Method == c.Method && a.snapshot.Epoch().Slot() == slot {
			a.unknownUntil = h.gen.Load()
		}
	}
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		p := ts.all[i].point
		for n := range h.parts(p) {
			for e := h.part(p, key, n).first(); e != nil; e = e.after() {
				extend(e.act.P())
			}
		}
		for conf := h.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			for n := range h.parts(q) {
				for e := h.part(q, key, n).first(); e != nil; e = e.after() {
					for k := e.act.P().inherited.head.P(); k != nil; k = k.next.P() {
						extend(k.call.P())
					}
				}
			}
		}
	}
}
