// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

const (
	// often is how many times a pair that can be part of a cycle is noted each time that something
	// was released since; later it is each often-th time. Other pairs are noted seldom times, and
	// then each time that the number has doubled.
	often  = 16
	seldom = 2
	// many is how many uses of other locks, or by other goroutines, are noted at two places if the
	// locks can't be part of a cycle, and most if they can. Later it is each often-th one.
	many = 512
	most = 8192
)

// Wants notes that the goroutine is about to take a lock, or has just taken it, at the place that
// is where Next says. The sink's clock has not learned anything by that. Released is how much the
// goroutine has released.
func (t *Thread) Wants(w *World, lock uintptr, m Mode, released uint32, sink Sink) {
	s := t.state.P()
	if m&Try != 0 || s.lost {
		return
	}
	wt := want{lock: lock, mode: m, released: released, held: uint64(m) + s.passedHash + s.context}
	wt.waits = m&(Shared|Read) == Shared && w.On()
	key := s.quietKey(&wt)
	q := s.quiet.of(lock, key)
	if q.skips(lock, key, released) {
		return
	}
	wt.skipped = q.takeDone(lock, key)
	quiet := t.wantsAll(w, &wt, sink)
	key = s.quietKey(&wt) // it may be known only now that a lock is the library's
	*s.quiet.of(lock, key) = quietWant{to: lock, held: key, released: released, left: quiet}
}

// quietKey is a hash of what is held, and of how a lock is wanted, for quietWants. Of a lock that
// is taken anew it has to be asked again whether it is the library's.
func (s *state) quietKey(wt *want) uint64 {
	key := wt.held + uint64(s.library)<<32
	if wt.waits {
		key = ^key
	}
	return key
}

// A want is a lock that is wanted.
type want struct {
	lock     uintptr
	held     uint64 // a hash of all that is held
	mode     Mode
	waits    bool // others may wait for it, as for a writer
	released uint32
	skipped  uint32 // how many times before were not counted
}

// wantsAll is Wants for each of the locks that are held. A next time would note nothing until more
// is released, nor would quiet times after that.
func (t *Thread) wantsAll(w *World, wt *want, sink Sink) (quiet uint32) {
	s := t.state.P()
	quiet = often - 1
	if wt.waits {
		quiet = s.wants(w, nil, wt, sink)
	}
	for i := range s.n {
		if h := &s.held[i]; h.lock == wt.lock {
			if h.read && wt.mode&Read != 0 {
				s.wants(w, h, wt, sink)
			}
			return 0
		}
	}
	for i := range s.n {
		if h := &s.held[i]; !h.library {
			quiet = min(quiet, s.wants(w, h, wt, sink))
		}
	}
	t.setBusy()
	return quiet
}

// wants is Wants for one of the locks that are held; h is nil for a writer. The result is how
// many times it would note nothing, whatever is released.
func (s *state) wants(w *World, h *Hold, wt *want, sink Sink) (quiet uint32) {
	from, lock, m, released := uintptr(0), wt.lock, wt.mode, wt.released
	if h != nil {
		from = h.lock
	}
	if k := s.known.find(from, lock, wt.held); k != nil {
		// Who knows of an earlier use by a release knows of one before that release, too.
		if k.times == 0 || k.released == released {
			if k.times == 0 && h != nil && !h.own {
				s.ours(h, sink) // it may be the library's, and has been taken anew
			}
			return k.quiet()
		}
		k.released = released
		k.times += wt.skipped + 1
		if !w.again(from, lock, k.times) {
			return k.quiet()
		}
	} else {
		k = s.known.add(known{from: from, to: lock, held: wt.held, released: released})
		if !s.ours(h, sink) {
			return 0
		}
		k.times = 1
		if h != nil {
			w.marks[mark(h.at.hash(), nests)].Store(1)
		}
		if w.enough(s.place(h), w.cyclic(from, lock)) {
			if s.skipped++; s.skipped%often != 0 {
				return 0
			}
		}
	}
	if s.nPassed > maxPassed {
		return 0 // it can't be told whether it can come to this
	}
	if s.private(h, released, sink) {
		return 0
	}
	w.on.Store(1)
	clock := sink.OrderClock()
	begin := clock.AccessEpoch()
	// What was released since the goroutine held nothing is known to others, who may need one of
	// the locks that are held now before the others of a cycle come to their uses.
	if s.n > 0 && s.released != released {
		if begin = s.begin; begin == 0 {
			return 0 // how much they know can't be told
		}
	}
	s.note(w, h, lock, m, begin, sink)
	return 0
}

// quiet is how many times the pair is not noted for sure, from now on.
func (k *known) quiet() uint32 {
	switch {
	case k.times == 0:
		return often - 1
	case k.times < often:
		return 0
	}
	return often - 1 - k.times%often
}

// ours reports whether the program itself takes the lock that it wants and, unless h is nil, has
// taken the one that it holds.
func (s *state) ours(h *Hold, sink Sink) bool {
	if h != nil && !h.own {
		if h.own = sink.Own(&h.at); !h.own {
			h.library = true
			s.library++
			return false
		}
	}
	return sink.Own(s.wanted())
}

// private reports whether nobody else can hold the lock that is wanted, or want the one that is
// held, as others don't know yet that there is that lock. Of the one that is held they may know
// when something was released since, or another lock was let go.
func (s *state) private(h *Hold, released uint32, sink Sink) bool {
	return sink.Fresh(s.wanted()) ||
		h != nil && h.released == released && s.nPassed == 0 && sink.Fresh(&h.at)
}

// note makes a use.
func (s *state) note(w *World, h *Hold, lock uintptr, m Mode, begin vclock.Epoch, sink Sink) {
	u := uses.Get()
	*u = use{thread: s.id, begin: begin, clock: sink.OrderClock().Snapshot()}
	u.Wanted, u.WantedRead = lock, m&Read != 0
	for i := range s.n {
		u.held[i] = s.held[i].gate(s.id)
	}
	u.n = s.n
	u.nPassed = s.nPassed
	for i := range s.nPassed {
		u.passed[i] = s.passed[i]
	}
	var at *Place
	if h != nil {
		u.Held, u.HeldRead, at = h.lock, h.read, &h.at
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

// again reports whether a pair is noted anew that one goroutine has used so often.
func (w *World) again(from, to uintptr, times uint32) bool {
	switch {
	case times <= seldom || times&(times-1) == 0:
		return true
	case times <= often || times%often == 0:
		return w.cyclic(from, to)
	}
	return false
}

// cyclic reports whether a pair may be part of a cycle: a lock was taken while the second one was
// held, and the first one while another one was held. A repetition and a writer of one lock may be,
// if there was the other one.
func (w *World) cyclic(from, to uintptr) bool {
	switch from {
	case 0:
		return w.has(to, repeated)
	case to:
		return w.has(to, written)
	}
	return w.has(to, first) && w.has(from, second)
}

// has reports whether a lock has a role. Most have not, which the marks tell.
func (w *World) has(addr uintptr, r role) (has bool) {
	if w.marks[mark(addr, r)].Load() == 0 {
		return false
	}
	w.lock()
	if l := w.known(addr); l != nil {
		has = l.roles&r != 0
	}
	w.spin.Unlock()
	return has
}

// give gives a lock a role. w.spin is held.
func (w *World) give(l *lock, r role) {
	l.roles |= r
	w.marks[mark(l.addr, r)].Store(1)
}

// enough reports whether many uses were noted at two places, and counts one more. If hashes
// collide, it may be others.
func (w *World) enough(place uint64, cyclic bool) bool {
	n := w.places[place%buckets].Add(1)
	return n > most || n > many && !cyclic
}

// place is a hash of where a lock is wanted and, unless h is nil, where the other one was taken.
func (s *state) place(h *Hold) uint64 {
	if h == nil {
		return mix(s.wanted().hash(), 0)
	}
	return mix(s.wanted().hash(), h.at.hash())
}

// hash is a hash of a place.
func (at *Place) hash() uintptr {
	return uintptr(mix(at.PCs[0], uintptr(mix(at.PCs[1], at.PCs[2]))))
}

// A role is what a lock is in a use.
type role uint8

const (
	first    role = 1 << iota // it is held
	second                    // it is wanted
	repeated                  // it is both
	written                   // it is wanted by a writer
	nests                     // of a place: a lock is taken while one is held that is taken there
)

// mark is the index of a mark for the role of a lock.
func mark(addr uintptr, r role) uint64 { return mix(addr, uintptr(r)+2) % (4 * buckets) }
