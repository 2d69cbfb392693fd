// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Open calls are synchronization themselves. What they do is not hidden. When an open call is over,
// its thread may know calls that it should have been ordered after from the start. Others know of
// the call as soon as it took effect. So each open call counts as made at the epoch at which it
// began: what its thread does not know then is not ordered before it.

// start is what is kept of the beginning of an open call.
type start struct {
	epoch vclock.Epoch
	turn  uint32 // the object's generation, which is no other call's: the call's name among peers
	n     uint32
	// The turns of calls under way that its thread did not know, as far as there is room.
	peers [8]uint32
}

// concurrent reports whether two calls overlapped, with no order between them. The one that began
// later has the other among its peers.
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
func (o *Object) BeginOpen(c *Call, t *vclock.Thread, s Sink) {
	p := newPending(c, t)
	h := o.lockAll(t)
	s.Begins()
	turn := o.advances()
	p.start.epoch, p.start.turn, p.start.n = t.Tick(), turn, 0
	may := &o.Table().Methods[c.Method].may
	// The calls that have ended, and that t does not know.
	h.keepUnknown(p, may, c, t)
	// The calls under way.
	for q := o.pending.P(); q != nil; q = q.next.P() {
		if int(p.start.n) < len(p.start.peers) &&
			!t.Knows(q.start.epoch) && q.mayConflict(o.Table(), may, c) {
			p.start.peers[p.start.n] = q.start.turn
			p.start.n++
		}
	}
	o.begins(p)
	h.unlock()
}

// EndOpen checks an open call of thread t that has returned. It is checked with the touches that t
// did not know when it began, and with the calls that were under way then. It joins no clocks, as
// the program's own synchronization does that.
func (o *Object) EndOpen(c *Call, t *vclock.Thread, s Sink) {
	ts := o.Table().touched(c.Method, c.Beta)
	h := o.lockAll(t)
	s.Ends()
	p := pendingOf(c)
	at := p.start
	var a *Action
	var f found
	if p.nEarly > 0 && ts.n > 0 {
		a = capture(o.Table(), c, s)
		p.checkEarly(o.Table(), ts, c, t, a, &f, s)
	}
	h.endPending(c).over()
	if ts.n == 0 || a == nil && o.pending.Nil() &&
		h.repeat(c.Method, ts, &c.Keys, t, &repetition{at: c.Place()}) != Other {
		h.unlock()
		return
	}
	if a == nil {
		a = capture(o.Table(), c, s)
	}
	for q := o.pending.P(); q != nil; q = q.next.P() {
		if at.concurrent(&q.start) {
			for i := range ts.n {
				// Q's call is the one to check, when it ends.
				q.keepEarly(early{
					offheap.To(a), c.Keys[ts.all[i].key], 0, ts.all[i].point,
				})
			}
		}
	}
	for i := range ts.n {
		h.touch(ts.all[i].point, c.Keys[ts.all[i].key], t, at.epoch, a, nil, s)
	}
	if f.n == 0 {
		a.unref()
	}
	h.unlock()
	if f.n != 0 {
		o.report(a, &f, s)
	}
}
