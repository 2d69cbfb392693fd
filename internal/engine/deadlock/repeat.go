// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import "github.com/commutego/commute/internal/engine/offheap"

// A Repeat is how a goroutine has wanted a lock while it held others, or as a writer that others
// may wait for. While its quietWant is of that, nothing has to be looked up to know that there is
// nothing to note. It is good for one goroutine, one lock and one mode, until End.
type Repeat struct{ quiet offheap.Ref[quietWant] }

// Repeat returns how the goroutine has wanted the lock that it has just taken by Wants and Takes;
// ok is false if nothing is remembered of that.
func (t *Thread) Repeat(w *World, lock uintptr, m Mode) (r Repeat, ok bool) {
	s := t.state.P()
	if s == nil || s.lost || s.n == 0 || s.held[s.n-1].lock != lock || m&Try != 0 {
		return Repeat{}, false
	}
	key := s.quietKey(&want{
		held:  uint64(m) + s.passedHash + s.context - s.contexts[s.n-1],
		waits: m&(Shared|Read) == Shared && w.On(),
	})
	q := s.quiet.of(lock, key)
	return Repeat{offheap.To(q)}, q.to == lock && q.held == key
}

// TakesAgain is Next, Wants and Takes, if the goroutine wants a lock as it has wanted it before,
// and there is nothing to note. The result is where to note the place. If it is nil, the caller
// calls those three.
func (t *Thread) TakesAgain(w *World, r *Repeat, lock uintptr, m Mode, released uint32) *Place {
	s := t.state.P()
	if s == nil || s.lost || s.n+1 >= maxHeld || w.handed.Load() != 0 {
		return nil // with too many locks, spread may take one of the engine's
	}
	if t.alone.lock != 0 {
		t.spread(w)
	}
	key := uint64(m) + s.passedHash + s.context + uint64(s.library)<<32
	if m&(Shared|Read) == Shared && w.On() {
		key = ^key
	}
	if !r.quiet.P().skips(lock, key, released) {
		return nil
	}
	at := s.wanted()
	t.Takes(w, lock, m, released)
	return at
}

// GivesLast is Gives, and returns true, if the goroutine has taken the lock last, while it held
// others or as a writer, has released nothing since, and there is nothing to say of it.
func (t *Thread) GivesLast(lock uintptr, released uint32) bool {
	s := t.state.P()
	if s == nil || s.n == 0 || t.alone.lock != 0 {
		return false
	}
	h := &s.held[s.n-1]
	if h.lock != lock || h.released != released || h.section != 0 || !h.pending.Nil() {
		return false
	}
	t.pop(s, h)
	return true
}
