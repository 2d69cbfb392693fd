// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/vclock"
)

// Renewal, the third fast path. Where goroutines share an object, each learns of the others now
// and then, and an observation doesn't repeat its earlier one any more: a touch from before the
// goroutine has learned something can't stand for one after it. But most often there is nothing to
// tell of the observation: it meets no call that its goroutine doesn't know. Then the record of the
// goroutine's last such call, which nothing else refers to, becomes the record of this one.

// renews makes an observation the successor of an earlier one of its thread, at the same place and
// with the same keys. It reports whether it has: if not, nothing has changed, and add must follow.
// The call is not pending; sn remembers it, if it is not nil. Txn is the present in the clocks of
// transactions. O(touches of the conflicting points), as [Object.check].
func (h held) renews(
	sn *Seen, c *Call, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink,
) bool {
	m := &h.Table().Methods[c.Method]
	if m.Role != Observer || m.asksUnused || txn != 0 || !h.nonePending(nil) {
		return false
	}
	var own [4]*entry
	a := h.renewable(m, c, ts, t, &own)
	if a == nil {
		return false
	}
	metOwn, ok := h.meetsOnlyKnown(ts, c, t)
	if !ok {
		return false
	}
	epoch := t.Tick()
	a.renew(h.Table(), c.Method, c.Args, c.Nargs, t, h.ends(m), s)
	a.repeatMayDiffer = metOwn
	for i := range ts.n {
		e := own[i]
		if e == nil {
			own[i] = h.own(ts.all[i].point, 0).push(epoch, a)
			continue
		}
		if e.act.P() != a {
			e.standFor(a)
		}
		e.unmark(marks)
		e.move(epoch)
	}
	sn.remember(h.Object, c.Method, c.Beta, c.Keys[0], ts, &own, t, c.Place())
	return true
}

// renew makes a the action of a later call by the same thread at the same place, that ends at a
// generation.
func (a *Action) renew(
	tab *Table, method uint32, args unsafe.Pointer, nargs uint32, t *vclock.Thread, gen uint32,
	s Sink,
) {
	a.recapture(tab, method, args, nargs, s)
	a.snapshot.Renew(t)
	a.Txn, a.gen, a.ended, a.unknownUntil = 0, gen, gen, 0
	a.valueUnknown, a.maybeStale = false, false
}

// recapture keeps what may differ in a later call by the same goroutine at the same place.
func (a *Action) recapture(
	tab *Table, method uint32, args unsafe.Pointer, nargs uint32, s Sink,
) {
	a.Drop()
	a.keepArgs(&tab.Methods[method], args, nargs)
	s.Recapture(a, args)
}

// record is the record of a call that is over, with a reference for the call, where it is the one
// of an earlier call that this one succeeds, and nothing else refers to that: own are its touches
// then, which must become touches of this call. If there is none it is nil.
func record(
	h held, c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch,
	own *[4]*entry, s Sink,
) *Action {
	m := &h.Table().Methods[c.Method]
	if a := succeeds(h, m, c, p, ts, t, txn, own); a != nil {
		a.ref()
		a.recapture(h.Table(), c.Method, c.Args, c.Nargs, s)
		a.beta, a.began, a.unknownUntil = c.Beta, 0, 0
		a.repeatMayDiffer, a.valueUnknown, a.maybeStale = false, false, false
		return a
	}
	*own = [4]*entry{}
	return nil
}

// succeeds is the record of an earlier call of t that the call can take over, whatever it meets;
// nil if there is none. No call under way may need what the record says.
func succeeds(
	h held, m *Method, c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch,
	own *[4]*entry,
) *Action {
	if !m.plain || txn != 0 || !h.nonePending(p) || p != nil && (p.nEarly != 0 || p.nLater != 0) {
		return nil
	}
	a := h.renewable(m, c, ts, t, own)
	if a == nil || !a.checks.head.Nil() || !a.inherited.head.Nil() || !a.raced.head.Nil() {
		return nil
	}
	return a
}

// renewable is the action of an earlier call of t that c can succeed, nil if there is none, and
// t's touches of the points that c touches. An action that a list of checks, a race or another
// call's touch refers to has to stay as it is.
func (h held) renewable(
	m *Method, c *Call, ts *touches, t *vclock.Thread, own *[4]*entry,
) (a *Action) {
	if ts.n > len(own) {
		return nil
	}
	refs := uint32(0)
	for i := range ts.n {
		tc := &ts.all[i]
		at := unsafe.Pointer(h.in.global.P())
		if tc.keyed {
			at = h.home(c.Keys[tc.key]).keyLists(c.Keys[tc.key])
		}
		e := ownTouch(listAt(at, int(tc.index)), t)
		own[i] = e
		switch {
		case e != nil && e.act.P().isRepeatedBy(m, c.Method, tc.keyed, &c.Keys, c.Place()):
			if a != nil && a != e.act.P() {
				return nil
			}
			a = e.act.P()
			refs++
		case tc.keyed, e != nil && !e.act.P().inherited.head.Nil():
			return nil
		}
	}
	if a == nil || a.references().Load() != refs {
		return nil
	}
	return a
}

// ownTouch is the latest touch of t among the first few of a list, nil if there is none.
func ownTouch(l *list, t *vclock.Thread) *entry {
	e := l.head.P()
	for n := 0; e != nil && !vclock.Own(t, e.at()); n++ {
		if e = e.next.P(); n == among {
			return nil
		}
	}
	return e
}

// meetsOnlyKnown reports whether t knows all touches that conflict with those of c, and whether its
// own are among them.
func (h held) meetsOnlyKnown(
	ts *touches, c *Call, t *vclock.Thread,
) (metOwn, ok bool) {
	for i := range ts.n {
		w := conflicting(h, ts.all[i].point, c.Keys[ts.all[i].key])
		for l, _ := w.next(); l != nil; l, _ = w.next() {
			for e := l.first(); e != nil; e = e.after() {
				at := e.at()
				if !t.Knows(at) {
					return false, false
				}
				metOwn = metOwn || vclock.Own(t, at)
			}
		}
	}
	return metOwn, true
}
