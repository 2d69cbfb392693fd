// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The first of the fast paths needs no lock. Each processor remembers the touches that its
// goroutines' observations have made last, by object and key (Seen). A goroutine that makes the
// same observation again goes to its own touch: it either stands for this call too, or moves to the
// present. So goroutines that observe at once write to no memory that is not their own.
//
// What makes that right:
//
//   - A touch that was removed has epoch 0, and no two events have one epoch. So a touch that still
//     has the epoch that was remembered is in its list.
//   - A touch that moves is busy meanwhile. Whoever holds the lock of its list waits for that, and
//     takes nothing out that it has not made busy itself (hold).
//   - A call that may conflict is counted in changing from its begin until it was checked. The
//     observation makes its touch busy before it looks there, and the other call is counted before
//     it looks at touches. So either the observation sees that call, and takes the long way, or the
//     call sees the touch where it is now.
//   - A conflicting call that was checked has left its mark on the touch: it was met, or subsumed.
//     If not, all that it conflicts with is what its goroutine knew when it was last looked at. A
//     call that repeats another leaves no mark. But its goroutine knows then that nobody has
//     learned of it since. That is not so once releases of several calls were merged, see
//     World.MergedInCall: from then on, a touch stands for a call only where its goroutine has
//     learned nothing since.

// A Seen is the touches that the observations of one processor's goroutines have made last, and
// those of other calls (changes.go). The zero Seen has none. Only one caller may use it at a time.
type Seen struct {
	observed [1 << seenBits]seen
	changed  [1 << changedBits]seen
}

// seenBits is for some more keys than the benchmarks have; a Seen has 128 KB.
const seenBits = 11

// A seen is an observation, and its touches of its key and of the object. It fills a line of the
// processor's cache.
type seen struct {
	object        offheap.Ref[Object]
	what          uint64 // the key, the method and its case
	at            Place
	epoch         vclock.Epoch // of the touch of the key
	keyed, global offheap.Ref[entry]
	keyedState    uint32 // without marks of touches, but perhaps with differs or inPart
	globalState   uint32
}

// whatOf is a number for a case of a method and a key, which is a hash of 64 bits: so two are as
// unlikely to have one number as two keys are to have one hash.
func whatOf(method, beta uint32, key uint64) uint64 {
	return key ^ (uint64(method)<<32|uint64(beta)+1)*0xd6e8feb86659fd93
}

// An Observation is a whole call of a method with one key that changed nothing and called nothing
// back. The fields are those of [Call].
type Observation struct {
	Key                 uint64
	At                  Place
	Args                unsafe.Pointer
	Method, Beta, Nargs uint32
}

// of are the two places where an observation is remembered, if it is.
func (sn *Seen) of(o *Object, key uint64, t *vclock.Thread) (m, other *seen) {
	h := key ^ uint64(uintptr(unsafe.Pointer(o)))>>6 ^ uint64(t.Now().Slot())<<32
	h = h * 0x9e3779b97f4a7c15 >> (64 - seenBits)
	return &sn.observed[h], &sn.observed[h^1]
}

// is reports whether m is an observation of t.
func (m *seen) is(o *Object, what uint64, at Place, t *vclock.Thread) bool {
	return m.what == what && m.object.P() == o && m.at == at && vclock.Own(t, m.epoch)
}

// busy is the epoch of a touch that its goroutine's call takes over, or that another one changes.
const busy = vclock.Epoch(1<<64 - 1)

// at is the touch's epoch. It waits while that changes. It is inlined.
func (e *entry) at() vclock.Epoch {
	if x := vclock.Epoch(e.epoch.Load()); x != busy {
		return x
	}
	return e.settled()
}

// settled is the touch's epoch once the touch is not busy.
func (e *entry) settled() vclock.Epoch {
	for try := 0; ; try++ {
		if x := vclock.Epoch(e.epoch.Load()); x != busy {
			return x
		}
		host.Pause(try)
	}
}

// set sets the epoch of a touch of the caller's, or of one that hold has made busy.
func (e *entry) set(epoch vclock.Epoch) { host.Publish64(&e.epoch, uint64(epoch)) }

// hold makes the touch busy, and returns its epoch.
func (e *entry) hold() vclock.Epoch {
	for {
		x := e.at()
		if e.epoch.CompareAndSwap(uint64(x), uint64(busy)) {
			return x
		}
	}
}

// find is where an observation is remembered, nil if it isn't.
func (sn *Seen) find(o *Object, method, beta uint32, key uint64, at Place, t *vclock.Thread) *seen {
	m, second := sn.of(o, key, t)
	what := whatOf(method, beta, key)
	switch {
	case m.is(o, what, at, t):
		return m
	case second.is(o, what, at, t):
		return second
	}
	return nil
}

// Again is Observe where the processor remembers the observation. It takes no lock. The result is
// Other if the observation is not remembered, or a call may conflict with it: then nothing has
// changed, and Observe must follow. It is Again if the earlier touches stand for the call at their
// epochs, and Noted if they have moved to an epoch of the call's own. O(1).
func (sn *Seen) Again(o *Object, c *Observation, t *vclock.Thread, s Sink) Repeated {
	key, at := c.Key, c.At
	m := sn.find(o, c.Method, c.Beta, key, at, t)
	if m == nil {
		return Other
	}
	fresh := t.UnchangedSince(m.epoch)
	if !fresh || t.SnapshotAfter(m.epoch) {
		if t.Held() == 0 && m.moves(o, key, c.Method, c.Args, c.Nargs, t, fresh, false, s) {
			return Noted
		}
		return Other
	}
	e := m.keyed.P()
	if m.keyedState&differs != 0 {
		if !e.epoch.CompareAndSwap(uint64(m.epoch), uint64(busy)) {
			return Other
		}
		again := m.stays(o, key, busy)
		if again {
			e.act.P().noteRepeat(&o.Table().Methods[c.Method], at)
			m.keyedState &^= differs
		}
		e.set(m.epoch)
		if !again {
			return Other
		}
		return Again
	}
	if !m.stays(o, key, m.epoch) {
		return Other
	}
	return Again
}

// stays reports whether the touches of a call may stay where they are. Epoch is what the touch of
// the key has now, if it is still there.
func (m *seen) stays(o *Object, key uint64, epoch vclock.Epoch) bool {
	// If a call has changed the object before this observation was over, it is counted still, or it
	// has left its mark.
	if !still(o, key) {
		return false
	}
	e, g := m.keyed.P(), m.global.P()
	if vclock.Epoch(e.epoch.Load()) != epoch || e.state.Load() != m.keyedState&^differs {
		return false
	}
	// The touch of the object is no older. So it may stay as well, if it is still there.
	return g == nil || g.state.Load() == m.globalState
}

// EndAgain is End where the processor remembers the observation. It takes no lock. The touches move
// to the present, as those of End do: the call may have released something, by locks of its own. So
// the epoch may be held, too. If the result is false, nothing has changed, and [Seen.End] must
// follow. The goroutine is in no transaction. O(1).
func (sn *Seen) EndAgain(o *Object, c *Call, t *vclock.Thread, s Sink) bool {
	m := sn.find(o, c.Method, c.Beta, c.Keys[0], c.Place(), t)
	return m != nil && m.moves(o, c.Keys[0], c.Method, c.Args, c.Nargs, t,
		t.UnchangedSince(m.epoch), true, s)
}

// moves is Again for a touch that has to move to the present. If its thread has learned something
// since (not fresh), the call becomes the earlier one's successor, as of renews. With ends it is
// EndAgain for it.
func (m *seen) moves(
	o *Object, key uint64, method uint32, args unsafe.Pointer, nargs uint32, t *vclock.Thread,
	fresh, ends bool, s Sink,
) bool {
	e, g := m.keyed.P(), m.global.P()
	if !e.epoch.CompareAndSwap(uint64(m.epoch), uint64(busy)) {
		return false
	}
	was, ok := m.takeGlobal(t)
	if !ok {
		e.set(m.epoch)
		return false
	}
	a := e.act.P()
	if !still(o, key) || e.state.Load()&^subsumed != m.keyedState&^differs ||
		g != nil && (g.state.Load()&^subsumed != m.globalState ||
			!g.act.P().inherited.head.Nil()) ||
		!fresh && (t.World().MergedInCall.Load() != 0 || !a.mayRenew(g, s)) {
		e.set(m.epoch)
		if was != 0 {
			g.set(was)
		}
		return false
	}
	epoch := t.Tick()
	gen := o.gen.Load() + 1
	switch {
	case !fresh:
		a.renew(o.Table(), method, args, nargs, t, gen, s)
	case a.repeatMayDiffer:
		a.noteRepeat(&o.Table().Methods[method], a.At)
		m.keyedState &^= differs
	}
	if ends {
		a.Txn, a.gen, a.began, a.ended = 0, gen, 0, gen
	}
	m.epoch = epoch
	if g != nil {
		if g.act.P() != a {
			g.standFor(a)
		}
		g.unmark(subsumed)
		g.set(epoch)
	}
	e.unmark(subsumed)
	e.set(epoch)
	return true
}

// takeGlobal makes the touch of the object busy, if there is one. Its epoch was not 0 then. It
// reports whether the touch is there, as far as can be told. The touches of a call move together:
// who joins one of them knows of both.
func (m *seen) takeGlobal(t *vclock.Thread) (was vclock.Epoch, ok bool) {
	g := m.global.P()
	if g == nil {
		return 0, true
	}
	was = vclock.Epoch(g.epoch.Load())
	if was == busy || !vclock.Own(t, was) {
		return 0, false
	}
	return was, g.epoch.CompareAndSwap(uint64(was), uint64(busy))
}

// mayRenew reports whether a may become the action of a later call of its thread at the same place.
// The touches of the two are busy: a keyed one, and g or nil. Whether the next such call has to be
// noted does not change then: what a conflicts with is what it was.
func (a *Action) mayRenew(g *entry, s Sink) bool {
	refs := uint32(1)
	if g != nil && g.act.P() == a {
		refs = 2
	}
	return a.references().Load() == refs && s.Ends() == 0
}

// still reports whether no call is under way, or is being checked, that may conflict with one of a
// key by a narrow method, or with one that has no key, and whose key is 0. That one may conflict
// with calls of all parts.
func still(o *Object, key uint64) bool {
	d := o.divided.Load()
	if d != nil && (key == 0 || d.of(key).changing.Load() != 0) {
		return false
	}
	// The calls that are under way are counted in other parts while the object is divided.
	return o.changing.Load() == 0 && (d != nil || o.dividing.Load() == 0)
}

// remember remembers an observation of t and its touches, the i-th of which is own[i].
func (sn *Seen) remember(
	o *Object, method, beta uint32, key uint64, ts *touches, own *[4]*entry, t *vclock.Thread,
	at Place,
) {
	if sn == nil || !o.Table().Methods[method].again {
		return
	}
	what := whatOf(method, beta, key)
	one, two := sn.of(o, key, t)
	if two.is(o, what, at, t) {
		one = two
	} else if !one.is(o, what, at, t) {
		*two = *one // which is the older one then
	}
	one.keep(o, method, what, ts, own, at)
}

// keep remembers a call and its touches. If there are more than can be remembered, that changes
// nothing. Of a call without a key the touch of the object stands in the place of that of the key.
func (m *seen) keep(
	o *Object, method uint32, what uint64, ts *touches, own *[4]*entry, at Place,
) {
	nkeys := o.Table().Methods[method].nkeys
	if ts.n > 1+nkeys {
		return
	}
	var e, g *entry
	for i := range ts.n {
		if ts.all[i].keyed || nkeys == 0 {
			e = own[i]
		} else {
			g = own[i]
		}
	}
	if e == nil || g == nil && ts.n == 2 {
		return
	}
	a := e.act.P()
	if a.Method != method || a.At != at {
		return
	}
	*m = seen{offheap.To(o), what, at, e.at(), offheap.To(e), offheap.To(g),
		e.state.Load() &^ marks, 0}
	if a.repeatMayDiffer {
		m.keyedState |= differs
	}
	if g != nil {
		m.globalState = g.state.Load() &^ marks
	}
}

// markAgain finds the methods whose observations are remembered: narrow ones, or such that touch
// the object and no key, that no observation conflicts with, and whose results are compared with
// nothing.
func markAgain(t *Table) {
	observed := uint64(0)
	for i := range t.methods {
		m := &t.Methods[i]
		for j := range m.may.n {
			if m.Role == Observer {
				observed |= 1 << m.may.all[j].point
			}
		}
	}
	for i := range t.methods {
		m := &t.Methods[i]
		m.again = (m.narrow && m.nkeys == 1 || m.nkeys == 0 && !m.Callback) &&
			m.Role == Observer && !m.asksUnused &&
			!t.observersMove && t.conflicts(m)&observed == 0
	}
}
