// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// A pastCall is one of a thread's last calls. The check of calls knows a call that repeats another
// by the index of that one.
type pastCall struct {
	epoch  vclock.Epoch
	index  uint64 // of its first touch
	site   uintptr
	pos    uint32
	target uint32
}

// maxCalls is how many of them are kept.
const maxCalls = 64

// Ends is Epoch, of the call that is over.
func (t *thread) Ends() vclock.Epoch {
	epoch := t.Epoch()
	if c := t.ending; epoch != 0 && c != nil && len(c.touches) > 0 {
		a, first := t.actor, &c.touches[0]
		p := pastCall{epoch, first.Index, c.place.site, c.pos, first.Event.Target}
		if len(a.calls) < maxCalls {
			a.calls = append(a.calls, p)
		} else {
			a.calls[a.made%maxCalls] = p
		}
		a.made++
	}
	return epoch
}

// Epoch is the thread's present epoch for transactions, 0 if none runs.
func (t *thread) Epoch() vclock.Epoch {
	x := t.replay.txns
	if x == nil || !x.graph.Running() {
		return 0
	}
	return x.act(t).clock.Pin()
}

// Began is the first epoch of the transaction that the thread is in, 0 if it is in none.
func (t *thread) Began() vclock.Epoch {
	if t.actor == nil {
		return 0
	}
	return t.actor.txn.BeginEpoch()
}

// Conflict draws the edge from an earlier call to the one that the thread has made.
func (t *thread) Conflict(o *commrace.Object, first, second *commrace.Action) {
	r, c := t.replay, t.ending
	if r.txns == nil || c == nil || !r.txns.graph.MayCloseCycle(first.Txn) {
		return
	}
	i, j, ok := o.Table().Where(first, second)
	if !ok {
		return
	}
	to := c.touches[j]
	from := r.touchOf(c.object, first, i, to.Event.Target)
	r.txns.repeats(first, &from)
	a := r.txns.act(t)
	r.txns.graph.AddEdge(&a.txn, a.clock, edgeOf(first.Txn, &from, &to, atomicity.Object))
}

// repeats makes a touch of a call that of the one that has repeated the call last, if one has.
func (x *transactions) repeats(call *commrace.Action, from *event.Step) {
	t := x.replay.threads[from.Event.Thread]
	if t == nil || t.actor == nil {
		return
	}
	var last *pastCall
	for i := range t.actor.calls {
		p := &t.actor.calls[i]
		switch {
		case p.epoch != call.Txn || p.site != call.At.Site:
		case p.index == uint64(call.Stack):
			return
		case p.target == from.Event.Target && (last == nil || p.index > last.index):
			last = p
		}
	}
	if last != nil {
		from.Index += last.index - uint64(call.Stack)
		from.Event.Pos = last.pos
	}
}
