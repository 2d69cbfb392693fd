// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The ends of an owner's calls. The call before it of the same key, at the same place, is what it
// repeats or succeeds. There is nothing to check it with: all calls of the object are its
// goroutine's own.

// ownWork is what an owner's call that may change the object touches: its own last touches.
type ownWork struct {
	o    *Object
	ts   *touches
	e, g *entry // as of standing; g may be nil
}

// EndOwned is End for a call of m that BeginOwned has begun, if t still owns the object. It is not
// ok if the call neither repeats nor succeeds an earlier one; then nothing has changed, and End
// must follow. No transaction runs, and no trace is recorded. L notes the call, if it is not nil.
// O(points of the type).
//
//bundle:inline
func EndOwned(
	o *Object, m *Method, c *Call, t *vclock.Thread, s Sink, l *Last,
) (before, after uint32, ok bool) {
	if c.Priv[0] != ownedCall || !lockOwned(o, t) {
		return 0, 0, false
	}
	lists := unsafe.Pointer(nil) // of the key, if the method has one
	if m.nkeys != 0 {
		lists = o.known(c.Keys[0])
	}
	ts := m.touched(c.Beta)
	e := lastLike(o, c, m, ts, lists, t)
	if e == nil {
		o.lock.Unlock()
		return 0, 0, false
	}
	before = o.gen.Load()
	after = before + 2
	g := e.global.Load()
	fresh := t.UnchangedSince(vclock.Epoch(e.epoch.Load())) && !e.is(subsumed) &&
		(g == nil || m.Role == Arbiter || o.isOf(g, e))
	if !fresh && !mayTakeOver(e, g) {
		o.lock.Unlock()
		return 0, 0, false
	}
	o.underWay = false
	c.Priv[0] = 0
	host.Publish32(&o.gen, after)
	epoch := t.Tick()
	t.NoteSnapshot(epoch)
	a := e.act.P()
	a.Txn, a.gen, a.began, a.ended = 0, after, o.began, after
	same := fresh && !a.repeatMayDiffer && a.valueUnknown
	if !fresh {
		w := ownWork{o, ts, e, g}
		w.succeed(lists, a, c, t, s)
	} else {
		t.NoteUnmarked(epoch)
		if !same {
			a.noteRepeat(m, c.Place())
		}
	}
	e.unmark(marks)
	e.set(epoch)
	if g != nil {
		g.unmark(marks)
		o.lags(g, e)
	}
	if same && l != nil {
		l.note(o, c, e, after)
	}
	o.lock.Unlock()
	return before, after, true
}

// lastLike is the touch of the last call like c, the owner's call of m that is under way, and has
// touched ts; nil if there is none. Lists are those of the key, if m has one.
//
//bundle:inline
func lastLike(
	o *Object, c *Call, m *Method, ts *touches, lists unsafe.Pointer, t *vclock.Thread,
) *entry {
	if m.nkeys == 0 {
		lists = unsafe.Pointer(o.global.P())
	}
	if !o.underWay || ts.found == 0 || lists == nil {
		return nil
	}
	l := listAt(lists, int(ts.found)-1)
	key := c.Keys[0]
	if m.Role == Arbiter {
		key ^= arbiters
	}
	what := whatOf(o, c.Method, c.Beta, key, c.Place())
	e := l.head.P()
	for n := 0; e != nil && (e.what.Load() != what ||
		!o.isSince(t, vclock.Epoch(e.epoch.Load()))); n++ {
		if e = e.next.P(); n == maxSubsumed {
			return nil
		}
	}
	if e == nil {
		return nil
	}
	if g := e.global.Load(); g != nil &&
		g.state.Load()&^marks != e.globalState.Load()&^(reused|inPart|differs) {
		return nil
	}
	if l.head.P() != e {
		l.toFront(e)
	}
	return e
}

// mayTakeOver reports whether a call can have the record of the earlier one, whose touches are e
// and g: nothing else refers to that.
func mayTakeOver(e, g *entry) bool {
	a := e.act.P()
	refs := uint32(1)
	if g != nil && g.act == e.act {
		refs = 2
	}
	return a.references().Load() == refs && a.checks.head.Nil() && a.inherited.head.Nil() &&
		a.raced.head.Nil()
}

// succeed makes the record of the earlier call one of c. Lists are those of its key, if it has one.
func (w *ownWork) succeed(
	lists unsafe.Pointer, a *Action, c *Call, t *vclock.Thread, s Sink,
) {
	tab := w.o.Table()
	a.recapture(tab, c.Method, c.Args, c.Nargs, s)
	a.snapshot.Renew(t)
	a.unknownUntil = 0
	a.repeatMayDiffer, a.valueUnknown, a.maybeStale = false, false, false
	if lists != nil {
		w.meet(lists, tab.keyed, &tab.keyedPoint, a, t, s)
	}
	w.meet(unsafe.Pointer(w.o.global.P()), tab.global, &tab.globalPoint, a, t, s)
	state := w.e.globalState.Load() &^ differs
	if a.repeatMayDiffer {
		state |= differs
	}
	host.Publish32(&w.e.globalState, state)
}

// meet is for the touches of n lists, of the points of those numbers: it leaves the marks of the
// call on those that it conflicts with or subsumes, and links it with its checks, as checkList and
// touch do.
func (w *ownWork) meet(
	lists unsafe.Pointer, n int, numbers *[maxPoints]uint8, a *Action, t *vclock.Thread, s Sink,
) {
	for i := range n {
		l := listAt(lists, i)
		if l.head.Nil() {
			continue
		}
		p := numbers[i]
		mark := uint32(w.ts.conflicts>>p&1)*met | uint32(w.ts.subsumes>>p&1)*subsumed
		if mark == 0 {
			continue
		}
		haveLast := false
		for e := l.head.P(); e != nil; e = e.next.P() {
			own := vclock.Own(t, e.at())
			if mark&met != 0 && own && !haveLast && !e.is(subsumed) {
				haveLast = true
				if b := w.o.action(e); b != a {
					a.linkChecks(w.o.Table(), b, s)
				}
			}
			if e != w.e && e != w.g {
				e.mark(mark)
			}
		}
	}
}

// follows is movesOwned where t has learned nothing since at, and nothing changes but when the last
// such call was. Most observations of an owner end here. Only the owner itself takes its touches
// out, so e has its epoch still. If the result is false, nothing has changed, and moves must
// follow. O(1).
//
//bundle:inline
func (e *entry) follows(o *Object, at vclock.Epoch, t *vclock.Thread, ends bool) bool {
	if !lockOwned(o, t) {
		return false
	}
	g, state := e.global.Load(), e.globalState.Load()
	if state&differs != 0 || ends && e.act.P().repeatMayDiffer ||
		o.underWay || e.is(met) || at < vclock.Epoch(o.owner.Load()) ||
		g != nil && !o.lagsOn(g, e, state) {
		o.lock.Unlock()
		return false
	}
	epoch := t.Tick()
	if ends {
		a := e.act.P()
		a.Txn, a.ended = 0, o.gen.Load()+1
	}
	if g != nil {
		g.unmark(subsumed)
	}
	e.unmark(subsumed)
	if state&reused == 0 {
		host.Publish32(&e.globalState, state|reused)
	}
	e.set(epoch)
	o.lock.Unlock()
	return true
}

// lagsOn is lags, and true, if g lags behind some touch already, has met nothing, and is what state
// says, the globalState of e.
func (o *ownership) lagsOn(g, e *entry, state uint32) bool {
	l := &o.lagging[0]
	if l.touch != offheap.To(g) {
		l = &o.lagging[1]
	}
	if l.touch != offheap.To(g) || g.state.Load()&^subsumed != state&^reused {
		return false
	}
	l.behind = offheap.To(e)
	return true
}

// movesOwned is moves where t owns the object. It takes the lock, and no touch. Where t itself has
// changed since what the call observes, the call becomes the earlier one's successor, as of renews.
func (e *entry) movesOwned(
	o *Object, at vclock.Epoch, method uint32, args unsafe.Pointer, nargs uint32,
	t *vclock.Thread, fresh, ends bool, s Sink,
) bool {
	if !lockOwned(o, t) {
		return false
	}
	g, state := e.global.Load(), e.globalState.Load()
	changed := e.is(met) || g != nil && g.is(met)
	if o.underWay || vclock.Epoch(e.epoch.Load()) != at || !o.isSince(t, at) ||
		g != nil && g.state.Load()&^marks != state&^(reused|differs) ||
		(!fresh || changed) && !e.act.P().mayRenew(g, s) {
		o.lock.Unlock()
		return false
	}
	epoch := t.Tick()
	if fresh = fresh && !changed; !fresh || ends || state&differs != 0 {
		a := e.act.P()
		state = a.goesOn(o, method, args, nargs, state, t, fresh, ends, false, s)
		if changed { // the next one may return something else, if that changes again
			a.repeatMayDiffer = true
			state |= differs
		}
	}
	if g != nil {
		g.unmark(marks)
		o.lags(g, e)
	}
	e.unmark(marks)
	if e.globalState.Load() != state|reused {
		host.Publish32(&e.globalState, state|reused)
	}
	e.set(epoch)
	o.lock.Unlock()
	return true
}
