// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What a call that calls back into the program learns on the way, and what is checked of that when it ends.

// Hold makes others know that the thread of a call that calls back holds a moment for it.
func (c *Call) Pin(moment vclock.Epoch) { host.Publish64(&pendingOf(c).pinned, uint64(moment)) }

// Held is the moment of Hold, 0 if there was none, or the call's method is an observer.
func (c *Call) Pinned() vclock.Epoch {
	if p := pendingOf(c); p != nil {
		return vclock.Epoch(p.pinned.Load())
	}
	return 0
}

// Learn makes t know what the calls that c doesn't commute with knew, as far as they have ended
// or may have taken effect; for calls that call back into the program. The result is the object's
// generation: as long as it stays, there is nothing more to learn.
func (o *Object) Join(c *Call, t *vclock.Thread) uint32 {
	ts := o.Table().touched(c.Method, c.Beta)
	o.lock.Lock()
	if p := pendingOf(c); p != nil {
		ts = &o.Table().Methods[c.Method].may // the results are not there yet
		o.keepUnknown(p, ts, c, t)
	} else {
		o.extendUnknown(ts, c, t)
	}
	o.join(ts, c, t)
	gen := o.gen
	o.lock.Unlock()
	return gen
}

// note keeps the touches that t is about to learn of, as far as there is room.
func (o *Object) keepUnknown(p *pending, ts *touches, c *Call, t *vclock.Thread) {
	p.markUnordered(t)
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			for e := o.list(q, key).head.P(); e != nil; e = e.next.P() {
				if !t.Knows(e.epoch) {
					p.keepEarly(early{e.act, key, 0, q})
				}
			}
		}
	}
}

// checkEarly is check for the touches that were kept for a call of t.
func (o *Object) checkEarly(p *pending, ts *touches, c *Call, t *vclock.Thread, a *Action, f *found, s Sink) {
	for i := range p.nEarly {
		e := &p.early[i]
		subsumed := e.subsumedAt != 0
		gone := subsumed && (t.Knows(e.subsumedAt) || p.comesBefore(e.act.P()))
		for j := range ts.n {
			pt := &o.Table().points[ts.all[j].point]
			if pt.conflicts>>e.point&1 == 0 || pt.keyed && c.Keys[ts.all[j].key] != e.key {
				continue
			}
			switch {
			case subsumed && e.act.P().Goid == a.Goid:
				o.linkChecks(a, e.act.P(), s) // a check perhaps
			case gone:
			case subsumed:
				f.addSubsumed(o, e.act.P(), a, pt.keyed, s)
			default:
				f.add(o, e.act.P(), a, pt.keyed, s)
			}
		}
	}
}
