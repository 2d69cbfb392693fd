// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/vclock"
)

// Begin starts a call by thread t that may change o. It is for calls of methods that are no
// observers, and must be followed by End or Abandon. From here on the call may take effect at any
// time, so it counts as pending. The result is as of End.
func (o *Object) Begin(c *Call, t *vclock.Thread, s Sink) (before, after uint32) {
	p := newPending(c, t)
	h := o.lockFor(&o.Table().Methods[c.Method], &c.Keys, t)
	s.Begins()
	h.in.begins(p)
	before = o.gen.Load()
	after = o.advances()
	p.began = after
	fetchTouches(h, c)
	h.unlock()
	return before, after
}

// Abandon ends a call that did not return: nothing is known of what it did.
func (o *Object) Abandon(c *Call, s Sink) {
	h := o.lockAll(nil) // it changes actions: see seesLittle
	partOf(h, c).adopt(c)
	s.Abandons()
	if pendingOf(c) != nil { // observations are not counted
		mayHaveChanged(h, c)
		h.endPending(c).over()
	}
	h.unlock()
}

// mayHaveChanged has the next calls that may conflict with c be no repetitions of what is known.
func mayHaveChanged(h held, c *Call) {
	may := &h.Table().Methods[c.Method].may
	for i := range may.n {
		w := conflicting(h, may.all[i].point, c.Keys[may.all[i].key])
		for l, _ := w.next(); l != nil; l, _ = w.next() {
			for e := l.head.P(); e != nil; e = e.next.P() {
				e.at() // from here on the touch doesn't move: c is counted
				e.mark(met)
				e.act.P().repeatMayDiffer = true
			}
		}
	}
}

// End checks a call of thread t that has returned, as Algorithm 1 does: first for races with
// earlier calls, then the points are touched. Between the two, t joins the clocks of the calls that
// this one doesn't commute with, a step that the paper leaves to the program. The cost is bounded
// by the specification and by the number of unordered touches of the points. The result is the
// object's generation before and after, see Join.
func (o *Object) End(c *Call, t *vclock.Thread, s Sink) (before, after uint32) {
	return o.end(nil, c, t, s, false)
}

// End is End of an object for a call that is to be remembered. The call's own synchronization is
// over: what its goroutine holds is the epoch of this call alone.
func (sn *Seen) End(o *Object, c *Call, t *vclock.Thread, s Sink) (before, after uint32) {
	return o.end(sn, c, t, s, false)
}

// EndOther is End for a call that [Object.Observe] has found to repeat no other.
func (o *Object) EndOther(c *Call, t *vclock.Thread, s Sink) (before, after uint32) {
	return o.end(nil, c, t, s, true)
}

func (o *Object) end(
	sn *Seen, c *Call, t *vclock.Thread, s Sink, other bool,
) (before, after uint32) {
	ts := o.Table().touched(c.Method, c.Beta)
	h := o.lockFor(&o.Table().Methods[c.Method], &c.Keys, t)
	h.in.adopt(c)
	fetchActions(h, c)
	if !h.whole() {
		h = h.widen(c, t)
	}
	before = o.gen.Load()
	p := pendingOf(c)
	txn := s.Ends()
	if ts.n == 0 || !other && h.repeatsEarlier(sn, c, p, ts, t, txn, s) ||
		p == nil && h.renews(sn, c, ts, t, txn, s) {
		if p != nil {
			h.endPending(c).over()
		}
		after = o.gen.Load()
		h.unlock()
		return before, after
	}
	return before, h.add(sn, c, p, ts, t, txn, s)
}

// add is End for a call that repeats no other. It releases what is locked, and returns the object's
// generation.
//
// The order of its steps is what makes the result right. The search (check) uses the clock that t
// had during the call. Joining comes after it, or no race would ever be found. The epoch for the
// call's own touches is taken last, so that a thread that knows it knows what t has joined.
func (h held) add(
	sn *Seen, c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink,
) uint32 {
	f := found{txnsRun: txn != 0} // when an observer began is not known
	var own [4]*entry             // t's touches of the points, as far as they are known
	a := record(h, c, p, ts, t, txn, &own, s)
	if a == nil {
		a = capture(h.Table(), c, s) // here: its stack is to begin with few frames of the engine
	}
	var counted *pendingCalls // where the call is counted until it was checked
	if p != nil {
		f.began, a.began = p.began, p.began
		// What the call met while it was under way is checked first. Since then t has joined some
		// of it, so the search below would take it for ordered.
		p.checkEarly(h.Table(), ts, c, t, a, &f, s)
		f.nLater, f.later = p.nLater, p.later
		counted = h.endPending(c)
	}
	unordered := h.check(ts, c, t, a, &f, s)
	f.useSubsumed()
	a.noteRaced(h.Table(), &f, s)
	for i := range h.pendingParts() {
		h.pendingPart(i).noteLater(a, t)
	}
	// A call that met nothing unordered has nothing to join, unless a pending call may have taken
	// effect.
	if unordered || !h.nonePending(nil) {
		h.join(ts, c, t)
	}
	epoch := t.Tick()
	a.snapshot.Renew(t)
	// Others may join the snapshot of a call that changes something. From then on no touch may be
	// made at this epoch for anything that the snapshot doesn't contain (see repeat).
	m := &h.Table().Methods[c.Method]
	if m.Role != Observer {
		t.NoteSnapshot(epoch)
	}
	a.Txn, a.gen = s.Epoch(), h.ends(m)
	a.ended = a.gen
	a.maybeStale = unordered
	// The call raced with another. A repetition may see that one's effect, where this call did
	// not.
	a.repeatMayDiffer = a.repeatMayDiffer || unordered
	h.noteChanges(ts, c, a, &f)
	for i := range f.n {
		f.race[i].classify(h.Table(), s)
	}
	// Races are classified before the touches are made: touching may subsume the checks' touches.
	for i := range ts.n {
		var mine *entry
		if i < len(own) {
			mine = own[i]
		}
		e := h.touch(ts.all[i].point, c.Keys[ts.all[i].key], t, epoch, a, mine, s)
		if i < len(own) {
			own[i] = e
		}
	}
	// A race sets repeatMayDiffer. The next such call would keep it if this one were remembered;
	// renews finds out what it is then.
	if !unordered {
		sn.rememberCall(h, m, c.Method, c.Beta, c.Keys[0], ts, &own, t, c.Place())
	}
	after := h.gen.Load()
	if f.n == 0 {
		a.unref()
	}
	if counted != nil {
		counted.over()
	}
	h.unlock()
	if f.n != 0 {
		h.report(a, &f, s)
	}
	return after
}

// check is phase 1: it looks at the touches of each conflicting point. It reports whether there
// are any that t doesn't know.
//
// The same walk serves transactions, which want to know of each conflicting call that came before,
// whether ordered or not. Of calls that overlapped the checked call it can't be said which came
// first, unless t knows them. The walk serves check-then-act as well: it links the call with its
// checks, and finds when another goroutine has last changed something.
func (h held) check(
	ts *touches, c *Call, t *vclock.Thread, a *Action, f *found, s Sink,
) (unordered bool) {
	for i := range ts.n {
		w := conflicting(h, ts.all[i].point, c.Keys[ts.all[i].key])
		for l, keyed := w.next(); l != nil; l, keyed = w.next() {
			if h.checkList(l, t, a, keyed, f, s) {
				unordered = true
			}
		}
	}
	return unordered
}

// checkList is check for the touches of one list, of a point that has a key or has none.
func (h held) checkList(
	l *list, t *vclock.Thread, a *Action, keyed bool, f *found, s Sink,
) (unordered bool) {
	haveLast := false
	changes := h.Table().Methods[a.Method].Role != Observer
	for e := l.head.P(); e != nil; e = e.next.P() {
		at := e.at() // from here on the touch doesn't move: this call is counted
		if changes {
			e.mark(met)
		}
		if e.is(subsumed) {
			continue
		}
		b := e.act.P()
		if f.txnsRun && b.Txn != 0 && (b.gen <= f.began || t.Knows(at)) &&
			!h.Table().excepted(b, a, s) {
			s.Conflict(h.Object, b, a)
		}
		sameG := b.Goid == a.Goid
		if !sameG || !haveLast { // of t's own touches the first is the latest
			a.linkChecks(h.Table(), b, s)
		}
		haveLast = haveLast || sameG
		if !sameG && b.ended > f.lastChange && h.Table().Methods[b.Method].Role != Observer {
			f.lastChange = b.ended
		}
		if t.Knows(at) {
			if !sameG && b.racedWithCheckOf(a.Goid) {
				f.addOrdered(h.Table(), b, a, keyed, s)
			}
			continue
		}
		if f.nLater != 0 && f.comesAfter(b) {
			continue
		}
		unordered = true
		f.add(h.Table(), b, a, keyed, s)
	}
	return unordered
}
