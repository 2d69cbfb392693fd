// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/vclock"
)

// A call that may change the object has to be known to others while it is under way, so it takes
// the lock at its begin and its end. But where it repeats its goroutine's last such call, as of
// repeat.go, the processor remembers what that has touched. While the lock is held nobody else
// changes these touches, so those that have the epoch that was remembered are where they were.

// changedBits is for few keys: who changes many seldom changes the same one twice.
const changedBits = 6

// inPart is no mark of touches: where a call is remembered, it says that what it has touched of the
// object is in the part of its key, of an object that was divided.
const inPart = subsumed

// changeOf is where a call that changes o is remembered, if it is.
func (sn *Seen) changeOf(o *Object, what uint64) *seen {
	h := what ^ uint64(uintptr(unsafe.Pointer(o)))>>6
	return &sn.changed[h*0x9e3779b97f4a7c15>>(64-changedBits)]
}

// rememberChange is remember for a call that may change the object.
func (sn *Seen) rememberChange(
	h held, method, beta uint32, key uint64, ts *touches, own *[4]*entry, at Place,
) {
	if !h.Table().Methods[method].changes {
		return
	}
	what := whatOf(method, beta, key)
	m := sn.changeOf(h.Object, what)
	m.keep(h.Object, method, what, ts, own, at)
	if !h.whole() {
		m.keyedState |= inPart
	}
}

// repeatsChange is repeat for a call that changes something, whose record is p, where the processor
// remembers the one that it repeats. No other call is under way, and no transaction runs. O(1).
func (sn *Seen) repeatsChange(h held, c *Call, p *pending, t *vclock.Thread) bool {
	what := whatOf(c.Method, c.Beta, c.Keys[0])
	m := sn.changeOf(h.Object, what)
	if !m.is(h.Object, what, c.Place(), t) || !t.UnchangedSince(m.epoch) {
		return false
	}
	own, n := [2]*entry{m.keyed.P(), m.global.P()}, 1
	if own[0].at() != m.epoch {
		return false
	}
	if own[1] != nil {
		// What it touches of the object now may be in another part.
		if own[1].at() != m.epoch || h.whole() != (m.keyedState&inPart == 0) {
			return false
		}
		n = 2
	}
	var r repetition
	r.at, r.began = m.at, p.began
	h.move(&h.Table().Methods[c.Method], own[:n], t, &r)
	m.epoch = own[0].at()
	return true
}

// markChanges finds the methods whose calls that change something are remembered.
func markChanges(t *Table) {
	for i := range t.methods {
		m := &t.Methods[i]
		m.changes = m.Role != Observer && !m.Callback && !m.Open && m.nkeys <= 1 && !m.asksUnused
	}
}
