// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Open calls are synchronization themselves. What they do is not hidden, so by the time that one is
// over, its thread may know of calls that it had to be ordered after before; and others know of it as
// soon as it took effect. So each counts as made at the moment at which it began: what its thread does
// not know then is not ordered before it.

// start is what is remembered of the moment at which an open call began.
type start struct {
	epoch vclock.Epoch
	turn  uint32 // the object's generation, which is no other call's
	n     uint32
	peers [8]uint32 // the turns of calls that were under way, and not known of; as many as there is room for
}

// concurrent reports whether two calls overlapped, with no order between them.
func (s *start) concurrent(with *start) bool { return s.has(with.turn) || with.has(s.turn) }

func (s *start) has(turn uint32) bool {
	for _, p := range s.peers[:s.n] {
		if p == turn {
			return true
		}
	}
	return false
}

// BeginOpen is Begin for open calls, of observers too.
func (o *Object) BeginOpen(c *Call, t *vclock.Thread) {
	p := newPending(c, t)
	o.lock.Lock()
	o.gen++
	p.start.epoch, p.start.turn, p.start.n = t.Touch(), o.gen, 0
	may := &o.Table().Methods[c.Method].may
	o.keepUnknown(p, may, c, t)
	for q := o.pending.P(); q != nil; q = q.next.P() {
		if int(p.start.n) < len(p.start.peers) && !t.Knows(q.start.epoch) && o.mayConflict(may, c, q) {
			p.start.peers[p.start.n] = q.start.turn
			p.start.n++
		}
	}
	p.next = o.pending
	o.pending = offheap.To(p)
	o.lock.Unlock()
}

// EndOpen checks an open call of thread t that has returned: with what it did not know when it began,
// and with the calls that were under way then. It learns nothing that it doesn't know by itself.
func (o *Object) EndOpen(c *Call, t *vclock.Thread, s Sink) {
	ts := o.Table().touched(c.Method, c.Beta)
	o.lock.Lock()
	p := pendingOf(c)
	at := p.start
	var a *Action
	var f found
	if p.nEarly > 0 && ts.n > 0 {
		a = o.action(c, s)
		o.checkEarly(p, ts, c, t, a, &f, s)
	}
	o.removePending(c)
	if ts.n == 0 || a == nil && o.pending.Nil() && o.repeat(c.Method, ts, &c.Keys, t, repetition{at: c.place()}) {
		o.lock.Unlock()
		return
	}
	if a == nil {
		a = o.action(c, s)
	}
	for q := o.pending.P(); q != nil; q = q.next.P() {
		if at.concurrent(&q.start) {
			for i := range ts.n {
				q.keepEarly(early{offheap.To(a), c.Keys[ts.all[i].key], 0, ts.all[i].point}) // q's call is the one to check
			}
		}
	}
	for i := range ts.n {
		o.touch(ts.all[i].point, c.Keys[ts.all[i].key], t, at.epoch, a, s)
	}
	if f.n == 0 {
		a.unref()
	}
	o.lock.Unlock()
	if f.n != 0 {
		o.report(a, &f, s)
	}
}
