// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Mode is how a lock is taken.
type Mode uint8

// The bits of a mode.
const (
	Read   Mode = 1 << iota // others can hold it for reading as well
	Try                     // without waiting
	Shared                  // the lock can be held for reading
	Slow                    // by a function that the lock's has called
)

// A Place is where a lock is taken, as far as it is cheap to tell: the return addresses of a few
// frames, innermost first, and the last one's distance from the end of the stack. After an address
// that is 0 there are no more.
type Place struct {
	PCs   [3]uintptr
	Frame uintptr
}

// A Side is one goroutine of a cycle.
type Side struct {
	Held, Wanted           uintptr // Held is 0 for a writer
	HeldRead, WantedRead   bool
	HeldStack, WantedStack uintptr // *stack.Stack
	Goid, Creator          uint64
	Origin, Owner          uintptr // *stack.Stack and *tests.Test
	NGates                 int     // other locks that it holds
	Gates                  [maxHeld]uintptr
}

// A Sink is what the caller knows of the goroutine whose events it reports.
type Sink interface {
	// Own reports whether a lock is taken by the program itself, not by the standard library.
	Own(at *Place) bool
	// Fresh reports whether a lock is taken that nobody else knows yet, as far as the source tells.
	Fresh(at *Place) bool
	// OrderClock is the goroutine's clock, which is started by the first call.
	OrderClock() *vclock.Thread
	// Capture fills in who and where a side is. Held is where it has taken the lock that it holds.
	Capture(s *Side, held *Place)
	// Report takes a cycle, which is the caller's when the function returns.
	Report(c *Cycle)
}

const (
	maxHeld   = 12
	maxPassed = 16
)

// A Thread is one goroutine, whose events the calls report. The zero Thread holds nothing.
type Thread struct {
	// busy is not 0 if there is a lock in the state that may be the program's own.
	busy     uintptr
	releases uint32 // with locks held, as far as they count
	always   uint32 // what busy is without such a lock
	// alone is the one that it has taken last, if all others are in the state, and the library's.
	alone Hold
	state offheap.Ref[state]
}

// TakesAlone notes that the goroutine has taken a lock, if it holds no other one but the library's,
// and returns where to note the place. Otherwise, and for a writer that others may wait for, the
// result is nil, and the caller calls Next, Wants and Takes. Each lock asks, so it is inlined.
func (t *Thread) TakesAlone(w *World, lock uintptr, m Mode, released uint32) *Place {
	if t.alone.lock|t.busy != 0 || m&(Shared|Read) == Shared && w.On() {
		return nil
	}
	t.alone.lock, t.alone.read, t.alone.released = lock, m&Read != 0, released
	return &t.alone.at
}

// Holds reports whether the goroutine holds a lock, or may hold one of the program's own. It is
// inlined.
func (t *Thread) Holds() bool { return t.alone.lock|t.busy != 0 }

// HoldsAlone reports whether GivesAlone may do anything. It is inlined.
func (t *Thread) HoldsAlone(lock uintptr) bool { return t.alone.lock == lock }

// Spreads reports whether GivesLast may do anything. It is inlined.
func (t *Thread) Spreads() bool { return t.alone.lock == 0 && t.busy != 0 }

// GivesAlone notes that the goroutine lets a lock go, and returns true, if it has taken that alone,
// and nothing was released since. Otherwise the caller calls Gives.
//
//bundle:inline
func (t *Thread) GivesAlone(lock uintptr, released uint32) bool {
	if t.alone.lock != lock || t.alone.released != released {
		return false
	}
	if !t.state.Nil() {
		t.passesAlone()
	}
	t.alone.lock = 0
	return true
}

// passesAlone notes that the lock is let go that is held alone.
func (t *Thread) passesAlone() {
	if s := t.state.P(); s.n > 0 {
		s.passes(&t.alone)
	}
}

// Next returns where to note at which place the goroutine wants a lock. Wants and Takes follow.
func (t *Thread) Next(w *World) *Place {
	s := t.state.P()
	if s == nil || t.alone.lock != 0 || w.handed.Load() != 0 {
		s = t.spread(w)
		t.purge(w)
	}
	return s.wanted()
}

// Wanted is what Next has returned, until Takes.
func (t *Thread) Wanted() *Place { return t.state.P().wanted() }

// Takes notes that the goroutine has taken a lock at the place that it wanted it.
func (t *Thread) Takes(w *World, lock uintptr, m Mode, released uint32) {
	s := t.state.P()
	if s.n == maxHeld {
		s.lost = true
		at := *s.wanted()
		s.drop(w)
		*s.wanted() = at
	}
	h := &s.held[s.n]
	h.lock, h.read, h.released = lock, m&Read != 0, released
	h.library, h.own, h.begin, h.section, h.pending = false, false, 0, 0, offheap.Ref[use]{}
	s.push()
	t.busy = 1
	if s.n == 1 {
		s.begin, s.released = 0, released
	}
}

// Released notes that the goroutine is about to release something, for the released-th time. Epoch
// is known to nobody yet, and what is released has it.
func (t *Thread) Released(w *World, epoch vclock.Epoch, released uint32) {
	s := t.spread(w)
	for i := range s.n {
		if h := &s.held[i]; h.begin == 0 && released == h.released+1 {
			h.begin = epoch
			h.section = w.open(section{h.gate(s.id), epoch})
		}
	}
	if s.n > 0 && s.begin == 0 && released == s.released+1 {
		s.begin = epoch
	}
}

// exact is how often a goroutine releases something under a lock at an epoch of its own. Later it
// is only done where locks were taken meanwhile. Else the epoch may be known to others already, and
// a use counts as known to them.
const exact = 64

// Nests reports whether a release that is fresh must have an epoch of its own.
func (t *Thread) Nests(w *World) bool {
	if t.releases < exact {
		t.releases++
		return true
	}
	h := &t.alone
	if s := t.state.P(); h.lock == 0 {
		h = &s.held[s.n-1]
	}
	return w.marks[mark(h.at.hash(), nests)].Load() != 0
}

// Held is the i-th of the locks that the goroutine holds; ok is false if it holds fewer.
func (t *Thread) Held(i int) (lock uintptr, ok bool) {
	if s := t.state.P(); s != nil {
		if i < s.n {
			return s.held[i].lock, true
		}
		i -= s.n
	}
	return t.alone.lock, i == 0 && t.alone.lock != 0
}

// Fresh reports whether a release, the released-th one, is the first one since the goroutine has
// taken a lock that it holds. For others, Released does nothing.
func (t *Thread) Fresh(released uint32) bool {
	if t.alone.lock != 0 {
		return released == t.alone.released+1
	}
	s := t.state.P()
	return s != nil && s.n > 0 && released == s.held[s.n-1].released+1
}

// Gives notes that the goroutine lets a lock go. It returns how much it had released when it took
// the lock, and the epoch of the first release since; ok is false if the goroutine did not hold the
// lock: another one has taken it.
func (t *Thread) Gives(w *World, lock uintptr, sink Sink) (begin vclock.Epoch, released uint32,
	ok bool) {
	if h := &t.alone; h.lock == lock {
		begin, released = h.begin, h.released
		if !t.state.Nil() {
			t.passesAlone()
		}
		h.lock, h.begin = 0, 0
		return begin, released, true
	}
	s := t.state.P()
	if s != nil {
		for i := s.n - 1; i >= 0; i-- {
			if h := &s.held[i]; h.lock == lock {
				begin, released = h.begin, h.released
				if i == s.n-1 && h.section == 0 && h.pending.Nil() && t.alone.lock == 0 {
					t.pop(s, h)
					return begin, released, true
				}
				t.lets(w, i, sink)
				return begin, released, true
			}
		}
	}
	if s == nil || !s.lost {
		w.hand(lock)
	}
	return 0, 0, false
}

// pop lets go of the lock that was taken last, of which there is nothing to say.
func (t *Thread) pop(s *state, h *Hold) {
	if h.library {
		s.library--
	}
	s.n--
	if s.n == 0 {
		s.context, s.nPassed, s.passedHash = 0, 0, 0
	} else {
		s.context -= s.contexts[s.n]
		s.passes(h)
	}
	t.setBusy()
}

// lets lets go of a lock that is not held alone.
func (t *Thread) lets(w *World, i int, sink Sink) {
	s := t.state.P()
	pending := s.held[i].pending
	w.close(&s.held[i])
	s.passes(&s.held[i])
	t.remove(w, i)
	for u := pending.P(); u != nil; {
		next := u.next.P()
		w.add(u, sink)
		u = next
	}
}

// remove forgets a hold of the state.
func (t *Thread) remove(w *World, i int) {
	s := t.state.P()
	if t.alone.lock != 0 && s.n == 1 {
		t.merge(w, s) // the goroutine holds a lock all the time
	}
	if s.held[i].library {
		s.library--
	}
	n := s.n - 1
	copy(s.held[i:n], s.held[i+1:s.n])
	s.n, s.context = 0, 0
	for s.n < n {
		s.push()
	}
	if n == 0 {
		s.nPassed, s.passedHash = 0, 0
	}
	t.setBusy()
}

// Spread has all locks that the goroutine takes be in its state: none is taken alone, so the caller
// learns of each where it is taken. It is for a goroutine that holds none.
func (t *Thread) Spread() { t.always, t.busy = 1, 1 }

// setBusy sets busy.
func (t *Thread) setBusy() {
	t.busy = uintptr(t.always)
	if s := t.state.P(); s.n > s.library {
		t.busy = 1
	}
}

// purge forgets the holds that other goroutines have ended.
func (t *Thread) purge(w *World) {
	if w.handed.Load() == 0 {
		return
	}
	s := t.state.P()
	for i := s.n - 1; i >= 0; i-- {
		if w.isHanded(s.held[i].lock) {
			s.held[i].drop(w)
			t.remove(w, i)
		}
	}
}

// spread is the state, which is made if there is none. It has the lock that was held alone.
func (t *Thread) spread(w *World) *state {
	s := t.state.P()
	if s == nil {
		s = newState(w)
		t.state = offheap.To(s)
	}
	if t.alone.lock != 0 {
		t.merge(w, s)
	}
	return s
}

// merge moves the lock that is held alone to the state, behind the library's.
func (t *Thread) merge(w *World, s *state) {
	if s.n == 0 {
		s.begin, s.released = t.alone.begin, t.alone.released
	}
	if s.n == maxHeld {
		s.lost = true
		s.drop(w)
	}
	s.held[s.n] = t.alone
	s.push()
	t.busy = 1
	t.alone.lock, t.alone.begin = 0, 0
}

// End notes that the goroutine has ended.
func (t *Thread) End(w *World) {
	t.busy, t.releases, t.alone.lock, t.alone.begin = uintptr(t.always), 0, 0, 0
	if s := t.state.P(); s != nil {
		s.drop(w)
		t.state = offheap.Ref[state]{}
		states.Put(s)
	}
}

// mix is a hash of two words.
func mix(a, b uintptr) uint64 {
	h := (uint64(a) ^ uint64(b)*0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9
	return h ^ h>>29
}
