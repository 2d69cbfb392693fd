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
	o.lock.Lock()
	p := pendingOf(c)
	switch {
	case !joined || known != o.gen:
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
	if !joined || known != o.gen {
		o.learn(c, t)
	}
	generation = o.gen
	o.lock.Unlock()
	return generation
}

// Resume is told that the callback of c, a call of t, is over.
func (o *Object) Resume(c *Call, t *vclock.Thread, s Sink) {
	if pendingOf(c) == nil {
		t.RestoreHeld(0)
		return
	}
	o.lock.Lock()
	s.Resumes()
	t.RestoreHeld(c.Held())
	o.lock.Unlock()
}

// A call that calls back into the program joins the clocks of others on the way, before each
// callback (Join). When it ends, its thread knows those calls, and check would take them for
// ordered. So they are kept as early touches, or the call is marked as uncertain.

// keepUnknown keeps the touches that t is about to join, as far as there is room.
func (l *pointLists) keepUnknown(p *pending, ts *touches, c *Call, t *vclock.Thread) {
	p.markUnordered(t)
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for conf := l.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			for e := l.list(q, key).head.P(); e != nil; e = e.next.P() {
				if !t.Knows(e.epoch) {
					p.keepEarly(early{e.act, key, 0, q})
				}
			}
		}
	}
}

// extendUnknown is for a call of t that observes and calls back, while other goroutines' calls
// begin and end. What it returns may depend on everything that has begun by now. So calls that
// began up to gen, the present generation, can't be said to come after the observation: see
// Action.unknownUntil. The observation's action is among the touches of its points, or has been
// inherited from there.
func (l *pointLists) extendUnknown(ts *touches, c *Call, t *vclock.Thread, gen uint32) {
	slot := t.Now().Slot()
	extend := func(a *Action) {
		if a.Method == c.Method && a.snapshot.Epoch().Slot() == slot {
			a.unknownUntil = gen
		}
	}
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for e := l.list(ts.all[i].point, key).head.P(); e != nil; e = e.next.P() {
			extend(e.act.P())
		}
		for conf := l.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			for e := l.list(lowest(conf), key).head.P(); e != nil; e = e.next.P() {
				for k := e.act.P().inherited.head.P(); k != nil; k = k.next.P() {
					extend(k.call.P())
				}
			}
		}
	}
}
