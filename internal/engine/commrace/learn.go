// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import "github.com/commutego/commute/internal/engine/vclock"

// An observation that no report can name needs no touch: nothing is ever compared with it. It still
// orders its goroutine after what it may have seen.

// A known is what a processor remembers of such an observation: whose goroutine knew all that the
// observation conflicts with, at which generation of the object. A goroutine forgets nothing, so
// that holds until the generation changes.
type known struct {
	what  uint64       // the call, see whatOf; its place doesn't matter here
	epoch vclock.Epoch // the goroutine's epoch then
	gen   uint32       // the object's generation
}

const knownBits = 8

// Learn makes t know what an observation tells it, as [Object.Observe] would, and leaves no touch.
// The result is false if observations of the method are not remembered: then nothing has changed.
// O(1) where the object has not changed, else O(touches of the conflicting points).
func (sn *Seen) Learn(o *Object, method, beta uint32, key uint64, t *vclock.Thread) bool {
	m := &o.Table().Methods[method]
	if sn == nil || !m.again {
		return false
	}
	what := whatOf(o, method, beta, key, Place{})
	at := (what ^ uint64(t.Now().Slot())) * 0x9e3779b97f4a7c15 >> (64 - knownBits)
	k := &sn.known[at]
	// A change moves the generation on when it begins, before it can be seen.
	if k.what == what && k.gen == o.gen.Load() && vclock.Own(t, k.epoch) {
		return true
	}
	var c Call
	c.Method, c.Beta, c.Keys[0] = method, beta, key
	h := o.lockFor(m, &c.Keys, t)
	gen := o.gen.Load()
	ok := h.in.pending.Nil() && h.nonePending(nil)
	if ok {
		_, ok = h.meetsOnlyKnown(o.Table().touched(method, beta), &c, t)
	}
	h.unlock()
	if ok {
		*k = known{what, t.Pin(), gen} // nothing else keeps the epoch from the slot's next thread
	} else {
		learnAll(o, &c, t)
	}
	return true
}

// learnAll joins the clocks of all calls that c, an observation, doesn't commute with.
func learnAll(o *Object, c *Call, t *vclock.Thread) {
	h := o.lockAll(t)
	h.join(o.Table().touched(c.Method, c.Beta), c, t)
	h.unlock()
}
