// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Thread is the clock of one goroutine: T(t) in table 1. Its methods are called by that
// goroutine only, or by another while it stands still.
type Thread struct {
	lock  offheap.Lock  // held to change root or extra, and by others to read them; taken after that of slots
	given atomic.Uint32 // how the present time was given away, so that other threads may know it
	time  atomic.Uint64 // the present time; the slot's component
	world offheap.Ref[World]
	slot  uint32
	place uint32 // in the list of live threads
	used  bool   // something was marked with the present time
	bears bool   // accesses to memory may bear the present time
	kept  bool   // a stamp of the present time may be kept
	since uint64 // the time of the last Join, or of the first step after the present was given away
	alive bool
	root  tree
	extra Epoch         // known, beside root
	offer Epoch         // see Offer
	held  atomic.Uint64 // an Epoch: what Touch returns, if not 0

	current atomic.Uint64 // see SetCurrent
}

// Ways in which a moment is given away. givenWithin means by releases inside of calls, whose acquirers, if
// there ever are any, may take what comes later at that moment for known too: that hides races and
// reports none.
const (
	givenWithin = 1
	givenAway   = 2
)

// A Stamp is the value of a clock at a moment: all that root holds, and two more epochs. Own is
// the moment itself; by rule (R) who knows Own knows the whole stamp. Own is 0 where the value is
// a join of several threads' clocks.
type Stamp struct {
	root  tree
	extra Epoch
	own   Epoch
}

// Own is the moment that the stamp was taken at, 0 if it is a join of several.
func (s *Stamp) Own() Epoch { return s.own }

// knowledge is what s stands for; it's good as long as s is.
func (s *Stamp) knowledge() knowledge {
	return knowledge{root: s.root.P(), extra: s.extra, own: s.own}
}

// Drop gives up the stamp's memory.
func (s *Stamp) Drop() {
	unref(s.root.P())
	*s = Stamp{}
}

// World is the execution that t is a thread of.
func (t *Thread) World() *World { return t.world.P() }

// Now is the thread's present moment.
func (t *Thread) Now() Epoch { return epoch(t.slot, t.time.Load()) }

// Knows reports whether the moment e happens before the thread's present, or is its own.
func (t *Thread) Knows(e Epoch) bool {
	if e.Slot() == t.slot {
		return true // times of a slot are in the order of happens-before, and e is past
	}
	return e == t.extra || get(t.root.P(), e.Slot()) >= e.Time() || e == 0 ||
		e.Slot() == t.extra.Slot() && e <= t.extra
}

// Touch steps to a new moment, to mark an event with, unless one is held.
func (t *Thread) Touch() Epoch {
	if held := t.Held(); held != 0 {
		return held
	}
	if t.bears {
		t.used = true // what is held may be taken out of a stamp, but those accesses were before
	}
	t.step(givenWithin)
	t.used = true
	t.stale()
	return t.Now()
}

// Moment is the moment to mark accesses to memory with: all that the thread does until Current is 0
// may bear it.
func (t *Thread) Moment() Epoch {
	t.step(0)
	t.bears = true
	return t.Now()
}

// Current is what was set last, 0 if the thread may have to move to another moment since then.
func (t *Thread) Current() uint64 { return t.current.Load() }

// SetCurrent keeps what stands for the present moment, unless that has been given away in the meantime.
func (t *Thread) SetCurrent(c uint64) {
	if c == 0 {
		t.stale()
		return
	}
	t.current.Store(c) // is seen by others before given is looked at, as given is in giveAway
	if t.given.Load() != 0 {
		t.stale()
	}
}

// stale notes that the thread has to move to another moment.
func (t *Thread) stale() {
	if t.current.Load() != 0 {
		host.Publish64(&t.current, 0)
	}
}

// Hold makes Touch return the moment that it would return now, until it is let go: who learns of the
// thread from now on knows what it marks then.
func (t *Thread) Hold() { host.Publish64(&t.held, uint64(t.Touch())) }

// Held is the moment that is held, 0 if none is. Others may ask.
func (t *Thread) Held() Epoch { return Epoch(t.held.Load()) }

// LetGo ends a Hold, or goes back to an earlier one.
func (t *Thread) LetGo(to Epoch) {
	if t.Held() != to {
		host.Publish64(&t.held, uint64(to))
	}
}

// Fresh reports whether the thread would mark an event now as it marked one at e, one of its own
// moments: since then it learned nothing, and nobody learned of it.
func (t *Thread) Fresh(e Epoch) bool {
	return e.Slot() == t.slot && t.given.Load() != givenAway && e.Time() >= t.since
}

// Offer notes that a stamp is kept with the event that is marked with own, a moment of the thread, for
// others to join: they then know what the thread did before, and not what it does after.
func (t *Thread) Offer(own Epoch) { t.offer = own }

// Offered reports whether a stamp of a later moment than e has been kept since. Who joins that takes
// all that is marked with e for known, so nothing that happens now may count as marked with e.
func (t *Thread) Offered(e Epoch) bool { return t.offer > e }

// step moves to a moment that nothing is marked with and that nobody knows, if the present isn't one.
// Being given away in the way except doesn't count.
func (t *Thread) step(except uint32) {
	given := t.given.Load()
	if !t.used && (given == 0 || given == except) {
		return
	}
	if given != 0 {
		given = t.given.Swap(0) // giveAway may just have come
	}
	now := t.time.Load()
	if now < maxTime {
		now++
		host.Publish64(&t.time, now) // after that, so that who sees the new time gives that away
	} else {
		t.World().Spent.Store(1)
	}
	if given == givenAway {
		t.since = now
	}
	t.used, t.bears, t.kept = false, false, false
	t.stale()
}

// give returns the present as a stamp, with a reference of its own to the vector, and notes that
// the present time is now known to others.
func (t *Thread) give() Stamp {
	t.mark()
	return t.stamp()
}

// mark notes that the present time is now known to others. Given may have been set before, by giveAway
// for an earlier time.
func (t *Thread) mark() {
	if t.given.Load() != givenAway {
		host.Publish32(&t.given, givenAway)
	}
	t.stale()
}

// Stamp returns the present to be kept with an event that was marked by Touch. It is not given
// away yet: who joins it must call [Thread.Join], which sees to that.
func (t *Thread) Stamp() Stamp {
	t.kept = true
	return t.stamp()
}

func (t *Thread) stamp() Stamp {
	ref(t.root.P())
	return Stamp{t.root, t.extra, t.Now()}
}

// Peek is Stamp for another thread's present, which is given away.
func (t *Thread) Peek() Stamp {
	t.lock.Lock()
	s := t.give()
	t.lock.Unlock()
	return s
}

// Before takes out of a stamp the moment that its thread holds, for a mark that is still to come.
// What the thread has learned at that moment stays, so that who knows the moment before need not
// know the stamp.
func (s *Stamp) Before(held Epoch) {
	switch {
	case held == 0 || s.own < held:
	default:
		s.own = 0
		if held.Time() > 1 {
			s.know(epoch(held.Slot(), held.Time()-1))
		}
	}
}

// know adds a moment to what a stamp stands for.
func (s *Stamp) know(e Epoch) {
	if s.extra != 0 {
		s.root = offheap.To(set(s.root.P(), s.extra, 0))
	}
	s.extra = e
}

// Join makes the thread know all of s: T(t) := T(t) join s. It reports whether that was news.
func (t *Thread) Join(s *Stamp) bool { return t.learn(s, false) }

// learn is Join, which leaves the moment of s beside the tree if beside is true: where no other learns of t, that
// saves the nodes.
func (t *Thread) learn(s *Stamp, beside bool) bool {
	if s.own != 0 && t.Knows(s.own) {
		return false
	}
	if s.own != 0 {
		t.World().giveAway(s.own)
	}
	if s.own == 0 && t.Knows(s.extra) {
		k := knowledge{root: t.root.P(), extra: t.extra, own: t.Now()}
		if k.covers(t.root.P(), s.root.P(), t.slot) {
			return false // the moment goes on, and with it what was given away of it
		}
	}
	// By (R) the present time must not stand for more than it did when it was given away, by Peek even now.
	t.lock.Lock()
	t.step(0)
	t.since = t.time.Load()
	by := t.Now()
	root := t.root.P()
	if !s.root.Nil() && s.root != t.root {
		j := join{a: knowledge{root: root, extra: t.extra, own: t.Now()}, b: s.knowledge(), by: by}
		root = j.trees(nil)
	}
	if t.extra != 0 {
		root = set(root, t.extra, by)
	}
	if s.extra != 0 && s.extra.Slot() != t.slot {
		root = set(root, s.extra, by)
	}
	t.extra = s.own
	if s.own != 0 && !beside {
		root, t.extra = set(root, s.own, by), 0
	}
	t.root = offheap.To(root)
	t.lock.Unlock()
	return true
}

// JoinAt is Join of s, which belongs to a mark at own: a later moment, up to which the thread that took s
// has learned nothing more (see Fresh), or an earlier one that was held.
func (t *Thread) JoinAt(s *Stamp, own Epoch) bool {
	later := *s
	later.own = max(s.own, own)
	return t.Join(&later)
}

// Meet makes t and u know all that either does: T(t) := T(u) := T(t) join T(u). U stands still.
func (t *Thread) Meet(u *Thread) {
	now := t.Now()
	news := !u.Knows(now)
	if news {
		t.mark()
	}
	s := Stamp{u.root, u.extra, u.Now()} // u's tree doesn't go away meanwhile, so no reference is needed
	t.learn(&s, news)
	if !news {
		return // by (R) u knows what t did, which was all of both
	}
	// Now t knows all that u does, so that the tree of both is t's.
	if t.extra != 0 && t.extra.Slot() != u.slot {
		t.foldNow()
	}
	t.mark() // u has nodes that t has made at this moment, so it's told of that, which bears nothing yet
	u.lock.Lock()
	u.step(0)
	u.since = u.time.Load()
	old := u.root
	u.root, u.extra = t.root, t.Now()
	ref(u.root.P())
	unref(old.P())
	u.lock.Unlock()
}

// fold moves extra into the tree.
func (t *Thread) fold() {
	if t.extra != 0 {
		t.root = offheap.To(set(t.root.P(), t.extra, t.Now()))
		t.extra = 0
	}
}

// foldExtra is fold by the thread itself, at any time.
func (t *Thread) foldExtra() {
	if t.extra != 0 {
		t.foldNow()
	}
}

func (t *Thread) foldNow() {
	t.lock.Lock()
	t.fold()
	t.lock.Unlock()
}

// Fork makes child, which must not be in use, the clock of a thread that t starts now.
func (t *Thread) Fork(child *Thread) {
	t.foldExtra()
	s := t.give()
	t.World().start(child, t, s.root, s.own)
}

// Start makes t the clock of a thread that nothing happens before.
func (w *World) Start(t *Thread) { w.start(t, nil, tree{}, 0) }

// StartAfter makes t the clock of a thread that knows what s stands for.
func (w *World) StartAfter(t *Thread, s *Stamp) {
	n := ref(s.root.P())
	if s.extra != 0 {
		n = set(n, s.extra, 0)
	}
	// Ended threads' slots are had by who has a parent that knows their end: one that is in no slot.
	parent := parents.Get()
	parent.slot, parent.root, parent.extra = maxSlots, offheap.To(n), s.own
	w.start(t, parent, parent.root, s.own)
	parents.Put(parent)
}

var parents offheap.Slab[Thread]

// End ends the thread. Its slot can be used again.
func (t *Thread) End() { t.World().slots.release(t) }

// Bear returns the present moment, which an event is known by that is marked with nothing: no other thread will have it.
func (t *Thread) Bear() Epoch {
	t.bears = true
	return t.Now()
}

// Advance moves to a new moment, whether anything is marked with the present one or not.
func (t *Thread) Advance() {
	t.used = true
	t.step(0)
}
