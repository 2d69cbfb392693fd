// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A state is what a goroutine holds that has held more than one lock. One that ever holds more than
// there is room for is not followed any more: a gate would be missed.
type state struct {
	id   uint64
	lost bool
	n    int // of held, which is without the one that is held alone
	// library is how many of the locks are known to be the library's.
	library int
	held    [maxHeld + 1]Hold // the n-th has the place of the one that is wanted
	// passed are the locks that it has let go since it last held nothing. If they are more than
	// there is room for, their number is maxPassed+1.
	passed     [maxPassed]gate
	nPassed    int
	passedHash uint64
	// begin and released are those of the first lock that it has taken since then.
	begin    vclock.Epoch
	released uint32
	skipped  uint32
	context  uint64           // a hash of the locks that are held, in their order
	contexts [maxHeld]uint64  // the part that each lock has in it
	pushed   [maxHeld]uintptr // of which lock that is
	known    knownPairs
	quiet    quietWants
}

// wanted is the place of the lock that the goroutine wants.
func (s *state) wanted() *Place { return &s.held[s.n].at }

// A Hold is a lock that a goroutine holds.
type Hold struct {
	lock    uintptr
	read    bool
	library bool
	own     bool             // it is known not to be the library's
	pending offheap.Ref[use] // that hold it
	section int              // its number in World.sections and 1; 0 if it has none

	at       Place
	begin    vclock.Epoch // known to whoever knows of a release since; 0 if there is none
	released uint32       // how much the goroutine had released when it took the lock
}

var states offheap.Slab[state]

func newState(w *World) *state {
	s := states.Get()
	s.id, s.lost, s.n, s.skipped = w.threads.Add(1), false, 0, 0
	s.library, s.nPassed, s.passedHash, s.context = 0, 0, 0, 0
	s.known, s.quiet = knownPairs{}, quietWants{}
	s.pushed = [maxHeld]uintptr{}
	return s
}

// push adds the hold that is in the next place.
func (s *state) push() {
	if lock := s.held[s.n].lock; s.pushed[s.n] != lock {
		s.pushed[s.n], s.contexts[s.n] = lock, mix(lock, uintptr(s.n+1))
	}
	s.context += s.contexts[s.n]
	s.n++
}

// passes notes that a lock is let go.
func (s *state) passes(h *Hold) {
	if s.nPassed > maxPassed {
		return
	}
	g := h.gate(s.id)
	for _, p := range s.passed[:s.nPassed] {
		if p == g {
			return
		}
	}
	if s.nPassed < maxPassed {
		s.passed[s.nPassed] = g
		s.passedHash += mix(h.lock, 0)
	}
	s.nPassed++
}

// gate is the lock as one that keeps out others.
func (h *Hold) gate(thread uint64) gate { return gate{h.lock, h.read, thread} }

// drop forgets all holds.
func (s *state) drop(w *World) {
	for i := range s.n {
		s.held[i].drop(w)
	}
	s.n, s.library, s.nPassed, s.passedHash, s.context = 0, 0, 0, 0, 0
}

// drop forgets the uses that wait for the end of a hold.
func (h *Hold) drop(w *World) {
	w.close(h)
	for u := h.pending.P(); u != nil; {
		next := u.next.P()
		u.free()
		u = next
	}
	h.pending = offheap.Ref[use]{}
}
