// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// A lock, or whatever else is released and acquired, has two clocks. What is released inside of a
// call is taken up outside of calls only: it is how an implementation keeps its own order.
type lock struct {
	own, inside vclock.LockClock
	released    bool // inside
}

// event takes an event.
func (r *Replay) event(e *event.Event) {
	if e.Flags&event.Only != 0 {
		return
	}
	if isLock := e.Op.Acquires() || e.Op.Releases(); isLock && e.Target == trace.AllLock &&
		e.Op != event.Join && r.program.Calls {
		return // a step of calls tells of it
	}
	if e.Op == event.Acquire && e.Target == trace.NoLock && r.program.Objects {
		return // it is for other orders only
	}
	switch e.Op {
	case event.Touch:
		r.thread(e.Thread).touch(e)
	case event.Acquire:
		if uint64(e.Target) < uint64(len(r.locks)) {
			r.thread(e.Thread).acquire(&r.locks[e.Target], e.Flags&event.Hidden != 0)
		}
	case event.Release, event.ReleaseMerge:
		r.locks = table.Grow(r.locks, e.Target)
		r.release(e, &r.locks[e.Target])
	case event.Fork:
		r.fork(r.thread(e.Thread), e.Target, e.Flags&event.Hidden != 0)
	case event.Join:
		if uint64(e.Target) >= uint64(len(r.threads)) {
			return
		}
		if u := r.threads[e.Target]; u != nil && u.acts {
			s := u.clock.RemoteSnapshot()
			r.thread(e.Thread).clock.Join(&s)
			s.Drop()
		}
	}
}

// hides is told that what t does now is hidden. If the trace tells no end of a callback, this is
// it.
func (t *thread) hides() {
	if !t.replay.program.Callbacks {
		t.resume()
	}
}

// helping reports whether t works for a call of another thread.
func (t *thread) helping() bool {
	if t.helps != nil && t.helps.ended != t.since {
		t.helps = nil
	}
	return t.helps != nil
}

func (t *thread) acquire(l *lock, hidden bool) {
	switch {
	case t.carrier:
		t.carried.Drop()
		t.carried = l.own.Snapshot()
		return
	case hidden:
		t.hides()
	case l.released:
		l.inside.Acquire(t.clock)
	}
	l.own.Acquire(t.clock)
}

func (r *Replay) release(e *event.Event, l *lock) {
	t := r.thread(e.Thread)
	switch merges := e.Op == event.ReleaseMerge; {
	case t.carrier && merges:
		l.own.ReleaseMergeSnapshot(&t.carried)
	case t.carrier:
		l.own.ReleaseSnapshot(&t.carried)
	case e.Flags&event.Hidden != 0:
		t.hides()
		t.releaseInside(l)
	case merges:
		l.own.ReleaseMerge(t.clock)
	default:
		if t.inCall() {
			t.clock.Hold() // a timer is set: what it starts comes after the call
		}
		l.own.Release(t.clock)
	}
}

// inCall reports whether a call of t is under way, and is not calling back.
func (t *thread) inCall() bool {
	if len(t.open) == 0 {
		return false
	}
	c := t.open[len(t.open)-1]
	return c.pending && !c.left && !c.object.Table().Methods[c.engine.Method].Open
}

// releaseInside is a release inside of a call. What the call's own touches will stand for is known
// to the acquirer as well; what a helper releases, the call knows when it ends.
func (t *thread) releaseInside(l *lock) {
	if t.helping() {
		t.helps.kids.ReleaseInCall(t.clock)
		t.helps.heard = true
	} else {
		t.clock.Hold()
	}
	l.inside.ReleaseInCall(t.clock)
	l.released = true
}

func (r *Replay) fork(t *thread, child uint32, hidden bool) {
	if c := r.newThread(child); t.carrier {
		r.world.StartAfter(c.clock, &t.carried)
	} else {
		helping := t.helping()
		if hidden {
			t.hides()
			if c.helps = t; helping {
				c.helps = t.helps
			} else {
				t.clock.Hold()
			}
			c.since = c.helps.ended
		}
		t.clock.Fork(c.clock)
	}
}
