// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The first of the fast paths needs no lock, unless the object has an owner (own.go). Each
// processor remembers the touches that its goroutines' observations have made last, by object, key
// and place ([Seen]). A goroutine that makes the same observation again goes to its own touch: it
// either stands for this call too, or moves to the present. So goroutines that observe at once
// write to no memory that is not their own.
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

// move sets the epoch of a touch whose list is locked, for a call that isn't remembered yet.
func (e *entry) move(epoch vclock.Epoch) {
	e.forget()
	e.set(epoch)
}

// hold makes the touch busy, and returns its epoch.
func (e *entry) hold() vclock.Epoch {
	for {
		x := e.at()
		if e.epoch.CompareAndSwap(uint64(x), uint64(busy)) {
			return x
		}
	}
}

// Again is a whole call of a method with one key at most, as of Observe, where the processor
// remembers it. Args are the call's, as of [Call]. It takes no lock, unless t owns the object. The
// result is Other if the observation is not remembered, or a call may conflict with it: then
// nothing has changed, and Observe must follow. It is Again if the earlier touches stand for the
// call at their epochs, and Noted if they have moved to an epoch of the call's own. O(1).
//
//bundle:inline
func (sn *Seen) Again(
	o *Object, method, beta uint32, key uint64, args unsafe.Pointer, nargs uint32, at Place,
	t *vclock.Thread, s Sink,
) Repeated {
	if d := o.divided.Load(); d != nil {
		host.Prefetch(uintptr(unsafe.Pointer(d.of(key)))) // for still
	}
	e, epoch := sn.find(o, method, beta, key, at, t)
	if e == nil {
		return Other
	}
	fresh := t.UnchangedSince(epoch)
	if !fresh || t.SnapshotAfter(epoch) {
		if t.Held() == 0 && (fresh && e.follows(o, epoch, t, false) ||
			e.moves(o, epoch, key, method, args, nargs, t, fresh, false, s)) {
			return Noted
		}
		return Other
	}
	if e.globalState.Load()&differs != 0 {
		if !e.epoch.CompareAndSwap(uint64(epoch), uint64(busy)) {
			return Other
		}
		again := e.stays(o, key, t, busy)
		if again {
			e.act.P().noteRepeat(&o.Table().Methods[method], at)
			host.Publish32(&e.globalState, e.globalState.Load()&^differs)
		}
		e.set(epoch)
		if !again {
			return Other
		}
		return Again
	}
	if !e.stays(o, key, t, epoch) {
		return Other
	}
	return Again
}

// stays reports whether the touches of a call that is remembered with that of its key may stay
// where they are. Epoch is what the touch has now, if it is still there.
func (e *entry) stays(o *Object, key uint64, t *vclock.Thread, epoch vclock.Epoch) bool {
	// If a call has changed the object before this observation was over, it is counted still, or it
	// has left its mark.
	if !still(o, key, t) {
		return false
	}
	// The touch of the object is no older. So it may stay as well, if it is still there.
	if g := e.global.Load(); g != nil && g.state.Load() != e.globalState.Load()&^(reused|differs) {
		return false
	}
	return e.state.Load()&marks == 0 && vclock.Epoch(e.epoch.Load()) == epoch
}

// EndAgain is End where the processor remembers the observation. It takes no lock, unless t owns
// the object. The touches move to the present, as those of End do: the call may have released
// something, by locks of its own. So the epoch may be held, too. If the result is false, nothing
// has changed, and [Seen.End] must follow. The goroutine is in no transaction. L notes the call,
// if it is not nil. O(1).
//
//bundle:inline
func (sn *Seen) EndAgain(o *Object, c *Call, t *vclock.Thread, s Sink, l *Last) bool {
	gen := o.gen.Load() // before it is asked who is under way
	e, epoch := sn.find(o, c.Method, c.Beta, c.Keys[0], c.Place(), t)
	if e == nil {
		return false
	}
	fresh := t.UnchangedSince(epoch)
	if !(fresh && e.follows(o, epoch, t, true)) &&
		!e.moves(o, epoch, c.Keys[0], c.Method, c.Args, c.Nargs, t, fresh, true, s) {
		return false
	}
	if l != nil {
		l.note(o, c, e, gen)
	}
	return true
}

// moves is Again for a touch that has to move to the present. If its thread has learned something
// since (not fresh), the call becomes the earlier one's successor, as of renews. With ends it is
// EndAgain for it.
func (e *entry) moves(
	o *Object, at vclock.Epoch, key uint64, method uint32, args unsafe.Pointer, nargs uint32,
	t *vclock.Thread, fresh, ends bool, s Sink,
) bool {
	g, state := e.global.Load(), e.globalState.Load()
	if (g != nil || e.is(met)) && o.owned(t) {
		return e.movesOwned(o, at, method, args, nargs, t, fresh, ends, s)
	}
	if e.is(met) || !e.epoch.CompareAndSwap(uint64(at), uint64(busy)) {
		return false
	}
	if !fresh {
		e.act.P().fetch()
	}
	was, ok := g.take(t)
	if !ok {
		e.set(at)
		return false
	}
	if !still(o, key, t) || e.is(met) ||
		g != nil && (g.state.Load()&^subsumed != state&^(reused|differs) ||
			!g.act.P().inherited.head.Nil()) ||
		!fresh && (t.World().MergedInCall.Load() != 0 || !e.act.P().mayRenew(g, s)) {
		e.set(at)
		if was != 0 {
			g.set(was)
		}
		return false
	}
	epoch := t.Tick()
	if !fresh || ends || state&differs != 0 {
		same := !fresh && o.Table().Methods[method].onlyKeys && e.act.P().returnsSame(at, t)
		state = e.act.P().goesOn(o, method, args, nargs, state, t, fresh, ends, same, s)
	}
	if g != nil {
		if g.act != e.act {
			g.standFor(e.act.P())
		}
		g.unmark(subsumed)
		g.set(epoch)
	}
	e.unmark(subsumed)
	if e.globalState.Load() != state|reused {
		host.Publish32(&e.globalState, state|reused)
	}
	e.set(epoch)
	return true
}

// returnsSame reports whether an observation that meets nothing has returned what that of a did,
// whose touch was moved to an epoch last. Whatever has changed the object since, and conflicts, has
// left a mark on the touch, but for repeated changes by the same goroutine.
func (a *Action) returnsSame(at vclock.Epoch, t *vclock.Thread) bool {
	return !a.valueUnknown && !a.maybeStale && !t.UnmarkedSince(at)
}

// goesOn makes a the action of the call of moves, and returns what is remembered besides of its
// touch, which was state. Same says that the call has returned what the earlier one did.
//
//bundle:inline
func (a *Action) goesOn(
	o *Object, method uint32, args unsafe.Pointer, nargs, state uint32, t *vclock.Thread,
	fresh, ends, same bool, s Sink,
) uint32 {
	gen := o.gen.Load() + 1
	switch {
	case same:
		s.Recapture(a, nil)
		a.snapshot.Renew(t)
		a.Txn, a.gen, a.ended = 0, gen, gen
	case !fresh:
		a.renew(o.Table(), method, args, nargs, t, gen, s)
	case a.repeatMayDiffer:
		a.noteRepeat(&o.Table().Methods[method], a.At)
		state &^= differs
	}
	if ends {
		a.Txn, a.gen, a.began, a.ended = 0, gen, 0, gen
	}
	return state
}

// take makes the touch of the object busy, if there is one. Its epoch was not 0 then. It
// reports whether the touch is there, as far as can be told. The touches of a call move together:
// who joins one of them knows of both.
func (e *entry) take(t *vclock.Thread) (was vclock.Epoch, ok bool) {
	if e == nil {
		return 0, true
	}
	was = vclock.Epoch(e.epoch.Load())
	if was == busy || !vclock.Own(t, was) {
		return 0, false
	}
	return was, e.epoch.CompareAndSwap(uint64(was), uint64(busy))
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

// still reports whether no call is under way, or is being checked, that may conflict with one of t
// of a key by a narrow method, or with one that has no key, and whose key is 0. That one may
// conflict with calls of all parts.
//
//bundle:inline
func still(o *Object, key uint64, t *vclock.Thread) bool {
	// The calls of an owner are not counted.
	if own := vclock.Epoch(o.owner.Load()); own != shared && !vclock.Own(t, own) {
		return false
	}
	d := o.divided.Load()
	if d != nil && (key == 0 || d.of(key).changing.Load() != 0) {
		return false
	}
	// The calls that are under way are counted in other parts while the object is divided.
	return o.changing.Load() == 0 && (d != nil || o.dividing.Load() == 0)
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
		m.onlyKeys = m.nkeys >= params(m)
	}
}

// params is the number of a method's parameters.
func params(m *Method) (n int) {
	for i := range len(m.Params) {
		if i == 0 || m.Params[i] == ',' {
			n++
		}
	}
	return n
}
