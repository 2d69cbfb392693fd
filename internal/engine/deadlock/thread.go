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
)

// A Place is where a lock is taken, as far as it is cheap to tell: the return addresses of a few
// frames, innermost first, and the last one's distance from the end of the stack. An address is 0
// if there are no more, or if they are not known.
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
type Thread struct{ state offheap.Ref[state] }

// A state is what a goroutine holds. One that ever holds more than there is room for is not
// followed any more: a gate would be missed.
type state struct {
	id   uint64
	lost bool
	n    int
	// library is how many of the locks are known to be the library's.
	library int
	held    [maxHeld]Hold
	// passed are the locks that it has let go since it last held nothing. If they are more than
	// there is room for, their number is maxPassed+1.
	passed     [maxPassed]gate
	nPassed    int
	passedHash uint64
	// begin and released are those of the first lock that it has taken since then.
	begin    vclock.Epoch
	released uint32
	known    [8]known
	at       Place // of the lock that it wants
}

// A Hold is a lock that a goroutine holds.
type Hold struct {
	lock    uintptr
	read    bool
	library bool
	pending offheap.Ref[use] // that hold it

	At       Place
	Begin    vclock.Epoch // when it was taken, 0 if that is not known
	Released uint32       // how much the goroutine had released by then
}

// A known is a pair of locks that a goroutine was seen to take.
type known struct {
	from, to uintptr
	held     uint64 // a hash of all that was held
	epoch    vclock.Epoch
	times    uint32
}

// often is how many times in different epochs a pair is looked at each time; later it is each
// often-th time.
const often = 16

var states offheap.Slab[state]

// Holds reports whether the goroutine holds a lock that may be the program's own. It is inlined.
func (t *Thread) Holds() bool { return !t.state.Nil() && t.state.P().n > t.state.P().library }

// Wants notes that the goroutine is about to take a lock, or has just taken it. Its clock has not
// learned anything by that. Released is how much the goroutine has released.
func (t *Thread) Wants(w *World, lock uintptr, m Mode, at Place, released uint32,
	sink Sink) {
	s := t.state.P()
	if m&Try != 0 || s != nil && s.lost {
		return
	}
	writes := m&(Shared|Read) == Shared && w.On()
	if s == nil {
		if !writes {
			return
		}
		s = t.ready(w)
	}
	s.at = at
	if writes {
		s.wants(w, nil, lock, m, released, sink)
	}
	for i := range s.n {
		if h := &s.held[i]; h.lock == lock {
			if h.read && m&Read != 0 {
				s.wants(w, h, lock, m, released, sink)
			}
			return
		}
	}
	for i := range s.n {
		if h := &s.held[i]; !h.library {
			s.wants(w, h, lock, m, released, sink)
		}
	}
}

// wants is Wants for one of the locks that are held; h is nil for a writer.
func (s *state) wants(w *World, h *Hold, lock uintptr, m Mode, released uint32,
	sink Sink) {
	from, hash := uintptr(0), uint64(m)+s.passedHash
	if h != nil {
		from = h.lock
	}
	for i := range s.n {
		hash += mix(s.held[i].lock, uintptr(i+1))
	}
	k := &s.known[mix(from, lock)%uint64(len(s.known))]
	again := k.from == from && k.to == lock && k.held == hash
	if again {
		if k.epoch == 0 {
			return // it is of no interest
		}
		if k.epoch == sink.OrderClock().AccessEpoch() {
			return
		}
		if k.times++; k.times > often && k.times%often != 0 {
			return
		}
	} else {
		*k = known{from: from, to: lock, held: hash}
		if h != nil && !sink.Own(&h.At) {
			h.library = true
			s.library++
			return
		}
		if !sink.Own(&s.at) {
			return
		}
	}
	if s.nPassed > maxPassed {
		return // it can't be told whether it can come to this
	}
	w.on.Store(1)
	clock := sink.OrderClock()
	k.epoch = clock.AccessEpoch()
	// What was released since the goroutine held nothing is known to others, who may need one of
	// the locks that are held now before the others of a cycle come to their uses.
	begin := k.epoch
	if s.n > 0 && s.released != released {
		if begin = s.begin; begin == 0 {
			return // how much they know can't be told
		}
	}
	s.note(w, h, lock, m, begin, sink)
}

// note makes a use.
func (s *state) note(w *World, h *Hold, lock uintptr, m Mode, begin vclock.Epoch, sink Sink) {
	u := uses.Get()
	*u = use{thread: s.id, begin: begin, clock: sink.OrderClock().Snapshot()}
	u.Wanted, u.WantedRead = lock, m&Read != 0
	for i := range s.n {
		u.held[i] = gate{s.held[i].lock, s.held[i].read}
	}
	u.n = s.n
	u.nPassed = s.nPassed
	for i := range s.nPassed {
		u.passed[i] = s.passed[i]
	}
	var at *Place
	if h != nil {
		u.Held, u.HeldRead, at = h.lock, h.read, &h.At
	}
	for i := range s.n {
		if o := s.held[i].lock; o != u.Held {
			u.Gates[u.NGates] = o
			u.NGates++
		}
	}
	sink.Capture(&u.Side, at)
	if !w.find(u) {
		u.free()
		return
	}
	if h == nil {
		w.add(u, sink)
		return
	}
	u.next, h.pending = h.pending, offheap.To(u)
}

// Takes notes that the goroutine has taken a lock. The caller fills in what is exported of the
// result.
func (t *Thread) Takes(w *World, lock uintptr, m Mode) *Hold {
	s := t.state.P()
	if s == nil || s.n == maxHeld {
		s = t.roomy(w)
	}
	h := &s.held[s.n]
	s.n++
	h.lock, h.read, h.library, h.pending = lock, m&Read != 0, false, offheap.Ref[use]{}
	return h
}

// Began notes that the caller has filled in a hold.
func (t *Thread) Began(h *Hold) {
	if s := t.state.P(); s.n == 1 {
		s.begin, s.released = h.Begin, h.Released
	}
}

// roomy is the state, with room for a hold.
func (t *Thread) roomy(w *World) *state {
	s := t.ready(w)
	if s.n == maxHeld {
		s.lost = true
		s.drop()
	}
	return s
}

// Gives notes that the goroutine lets a lock go. It returns what is exported of the hold; ok is
// false if the goroutine did not hold the lock: another one has taken it.
func (t *Thread) Gives(w *World, lock uintptr, sink Sink) (begin vclock.Epoch, released uint32,
	ok bool) {
	if s := t.state.P(); s != nil && s.n > 0 {
		if h := &s.held[s.n-1]; h.lock == lock && h.pending.Nil() && !h.library {
			if s.n--; s.n == 0 {
				s.nPassed, s.passedHash = 0, 0
			} else {
				s.passes(h)
			}
			return h.Begin, h.Released, true
		}
	}
	return t.gives(w, lock, sink)
}

// gives is Gives for all other cases than the most frequent one.
func (t *Thread) gives(w *World, lock uintptr, sink Sink) (begin vclock.Epoch, released uint32,
	ok bool) {
	s := t.state.P()
	if s != nil {
		for i := s.n - 1; i >= 0; i-- {
			h := &s.held[i]
			if h.lock != lock {
				continue
			}
			begin, released = h.Begin, h.Released
			pending := h.pending
			s.passes(h)
			s.remove(i)
			for u := pending.P(); u != nil; {
				next := u.next.P()
				w.add(u, sink)
				u = next
			}
			return begin, released, true
		}
	}
	if s == nil || !s.lost {
		w.hand(lock)
	}
	return 0, 0, false
}

// remove forgets a hold.
func (s *state) remove(i int) {
	if s.held[i].library {
		s.library--
	}
	s.n--
	copy(s.held[i:s.n], s.held[i+1:s.n+1])
	if s.n == 0 {
		s.nPassed, s.passedHash = 0, 0
	}
}

// passes notes that a lock is let go.
func (s *state) passes(h *Hold) {
	if s.nPassed > maxPassed {
		return
	}
	g := gate{h.lock, h.read}
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

// Purge forgets the holds that other goroutines have ended.
func (t *Thread) Purge(w *World) {
	s := t.state.P()
	if s == nil || s.n == 0 || w.handed.Load() == 0 {
		return
	}
	for i := s.n - 1; i >= 0; i-- {
		if w.isHanded(s.held[i].lock) {
			s.held[i].drop()
			s.remove(i)
		}
	}
}

// ready is the state, which is made if there is none.
func (t *Thread) ready(w *World) *state {
	if s := t.state.P(); s != nil {
		return s
	}
	s := states.Get()
	s.id, s.lost, s.n = w.threads.Add(1), false, 0
	s.library, s.nPassed, s.passedHash = 0, 0, 0
	s.known = [8]known{}
	t.state = offheap.To(s)
	return s
}

// End notes that the goroutine has ended.
func (t *Thread) End() {
	if s := t.state.P(); s != nil {
		s.drop()
		t.state = offheap.Ref[state]{}
		states.Put(s)
	}
}

// drop forgets all holds.
func (s *state) drop() {
	for i := range s.n {
		s.held[i].drop()
	}
	s.n, s.library, s.nPassed, s.passedHash = 0, 0, 0, 0
}

// drop forgets the uses that wait for the end of a hold.
func (h *Hold) drop() {
	for u := h.pending.P(); u != nil; {
		next := u.next.P()
		u.free()
		u = next
	}
	h.pending = offheap.Ref[use]{}
}

// mix is a hash of two words.
func mix(a, b uintptr) uint64 {
	h := (uint64(a) ^ uint64(b)*0x9E3779B97F4A7C15) * 0xBF58476D1CE4E5B9
	return h ^ h>>29
}
