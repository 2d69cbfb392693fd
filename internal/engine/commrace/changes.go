// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A call that may change the object has to be known to others while it is under way, so it takes
// the lock at its begin and its end. But where it repeats its goroutine's last such call, as of
// repeat.go, the processor remembers what that has touched. While the lock is held nobody else
// changes these touches, so one that stands for such a call is in its list.

// changedBits is for few keys: who changes many seldom changes the same one twice. But calls that
// look whether there is something to change are often repeated, with many keys.
const changedBits = 6

// changeOf is where a call that changes something is remembered, if it is, of a mutator.
func (sn *Seen) changeOf(what uint64) *offheap.Ref[entry] {
	return &sn.changed[(what^what>>32)*0x9e3779b97f4a7c15>>(64-changedBits)]
}

// arbiters in a key has calls of arbiters be remembered apart from the observations.
const arbiters = 0xd6e8feb86659fd93

// rememberChange is remember for a call of t that may change the object.
func (sn *Seen) rememberChange(
	h held, method, beta uint32, key uint64, ts *touches, own *[4]*entry, t *vclock.Thread,
	at Place,
) {
	m := &h.Table().Methods[method]
	if !m.Owns {
		return
	}
	in := uint32(0)
	if !h.whole() {
		in = inPart
	}
	if m.Role == Arbiter {
		key ^= arbiters
	}
	what := whatOf(h.Object, method, beta, key, at)
	switch e := keep(h.Object, method, what, ts, own, at, in); {
	case e == nil:
	case m.Role == Arbiter:
		sn.note(what, t, e)
	default:
		*sn.changeOf(what) = offheap.To(e)
	}
}

// change is the touch of a call of t that may change something and is remembered; nil if it isn't,
// or t has learned something since.
func (sn *Seen) change(o *Object, c *Call, t *vclock.Thread) *entry {
	var e *entry
	var epoch vclock.Epoch
	if o.Table().Methods[c.Method].Role == Arbiter {
		e, epoch = sn.find(o, c.Method, c.Beta, c.Keys[0]^arbiters, c.Place(), t)
	} else {
		what, ok := whatOf(o, c.Method, c.Beta, c.Keys[0], c.Place()), false
		if e = sn.changeOf(what).P(); e != nil {
			if epoch, ok = e.standsFor(what, t); !ok {
				e = nil
			}
		}
	}
	if e == nil || !t.UnchangedSince(epoch) {
		return nil
	}
	return e
}

// repeatsChange is repeat for a call that changes something, whose record is p, where the processor
// remembers the one that it repeats. No other call is under way, and no transaction runs. O(1).
func (sn *Seen) repeatsChange(h held, c *Call, p *pending, t *vclock.Thread) bool {
	e := sn.change(h.Object, c, t)
	// Another goroutine that has acquired in a call what this one released in one may have subsumed
	// the touch: see World.MergedInCall.
	if e == nil || e.is(subsumed) {
		return false
	}
	m := &h.Table().Methods[c.Method]
	own, n := [2]*entry{e, e.global.Load()}, 1
	if g := own[1]; g != nil {
		// What it touches of the object now may be in another part. The touch may be of a later
		// call with another key: then it becomes one of this call, as of repeat.
		state := e.globalState.Load()
		if g.state.Load()&^marks != state&^(reused|inPart|differs) ||
			h.whole() != (state&inPart == 0) || g.act != e.act && m.Role == Mutator {
			return false
		}
		if g.act != e.act {
			g.standFor(e.act.P())
		}
		n = 2
	}
	var r repetition
	r.at, r.began = c.Place(), p.began
	h.move(m, own[:n], t, &r)
	return true
}

// markPlain finds the methods that call nothing back, are no synchronization, and whose results
// nothing asks about; those of them whose calls change something and are remembered; and those of
// whose calls nothing has to be known before they end.
func markPlain(t *Table) {
	for i := range t.methods {
		m := &t.Methods[i]
		m.plain = !m.Callback && !m.Open && !m.asksUnused
		m.Owns = m.plain && m.Role != Observer && m.nkeys <= 1
		m.Silent = m.Role == Observer && !m.Callback && !m.Open
	}
}
