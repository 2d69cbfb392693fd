// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Sink is told of races, and adds to actions what is known outside this package.
type Sink interface {
	// Capture fills in Stack, Origin, Goid, Creator and Owner of an action of the current goroutine.
	Capture(a *Action, args unsafe.Pointer)
	// Unused reports whether the caller of a call that was captured doesn't use its result. Where
	// that isn't known it is true.
	Unused(t *Table, a *Action) bool
	// Race tells that two calls of o's methods are not ordered and don't commute.
	Race(o *Object, r Race)
	// Checks reports whether there may be acts that depend on what a call returned.
	Checks(t *Table, check *Action) bool
	// Decides reports whether act, if it follows check on its goroutine, does so because of what that returned.
	Decides(t *Table, check, act *Action) bool
	// Epoch is the current goroutine's present as transactions count it, 0 if none runs.
	Epoch() vclock.Epoch
	// Began is when the transaction has begun that it is in, 0 if it's in none.
	Began() vclock.Epoch
	// Conflict tells, while transactions run, that second doesn't commute with first, which came before it, whether
	// that was ordered or not.
	Conflict(o *Object, first, second *Action)
}

// maxFound is the number of races that one call is told for; others are the same call's.
const maxFound = 4

// A found race is kept until the object's lock is free.
type found struct {
	n    int
	race [maxFound]Race

	subsumedRace Race // with a call that was superseded, see hide

	nLater uint32 // calls that the one that is checked comes before
	later  [maxLater]offheap.Ref[Action]

	txnsRun    bool   // transactions are
	began      uint32 // up to which generation calls had ended when the one that is checked began
	lastChange uint32 // when the last call of another goroutine has ended that it doesn't commute with, and that may change something
}

// Begin tells that thread t starts a call that may change o. It's for calls of methods that are no
// observers, and must be followed by End or Abandon. The result is as of End.
func (o *Object) Begin(c *Call, t *vclock.Thread) (before, after uint32) {
	p := newPending(c, t)
	o.lock.Lock()
	p.next = o.pending
	o.pending = offheap.To(p)
	before = o.gen
	o.gen++
	p.began, after = o.gen, o.gen
	o.lock.Unlock()
	return before, after
}

// Abandon tells that the call did not return: nothing is known of what it did.
func (o *Object) Abandon(c *Call) {
	o.lock.Lock()
	o.removePending(c)
	o.lock.Unlock()
}

func (o *Object) removePending(c *Call) {
	for at := &o.pending; !at.Nil(); at = &at.P().next {
		if p := at.P(); uintptr(unsafe.Pointer(p)) == c.Priv[0] {
			for i := range p.nEarly {
				p.early[i].act.P().unref()
			}
			for i := range min(p.nLater, maxLater) {
				p.later[i].P().unref()
			}
			*at = p.next
			pendings.Put(p)
			break
		}
	}
	c.Priv[0] = 0
}

// End checks a call of thread t that has returned, Algorithm 1: first for races with earlier
// calls, then (the part that the paper leaves to the program) t learns what the calls that this
// one doesn't commute with knew, then the points are touched.
// The cost is bounded by the specification and the number of unordered touches of the points.
// The result is the object's generation before and after, see Learn.
func (o *Object) End(c *Call, t *vclock.Thread, s Sink) (before, after uint32) {
	ts := o.Table().touched(c.Method, c.Beta)
	o.lock.Lock()
	before = o.gen
	p := pendingOf(c)
	txn := s.Epoch()
	if ts.n == 0 || o.repeatsEarlier(c, p, ts, t, txn, s) {
		if p != nil {
			o.removePending(c)
		}
		after = o.gen
		o.lock.Unlock()
		return before, after
	}
	return before, o.add(c, p, ts, t, txn, s)
}

// repeats reports whether a call that is over, p when it began, repeats an earlier one.
func (o *Object) repeatsEarlier(c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink) bool {
	began := uint32(0)
	if p != nil {
		if p.nEarly > 0 {
			return false
		}
		began = p.began
	}
	if o.pending.P() != p || p != nil && !p.next.Nil() {
		return false // other calls are under way
	}
	return o.repeat(c.Method, ts, &c.Keys, t, repetition{c.place(), txn, s.Began(), began})
}

// add is End for a call that repeats no other. It lets the object's lock go, and returns its generation.
func (o *Object) add(c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink) uint32 {
	f := found{txnsRun: txn != 0} // when an observer began is not known
	a := o.action(c, s)
	if p != nil {
		f.began, a.began = p.began, p.began
		o.checkEarly(p, ts, c, t, a, &f, s)
		f.nLater, f.later = p.nLater, p.later
		o.removePending(c)
	}
	unordered := o.check(ts, c, t, a, &f, s)
	f.useSubsumed()
	o.noteLater(a, t)
	if unordered || !o.pending.Nil() {
		o.join(ts, c, t)
	}
	epoch := t.Touch()
	a.stamp = t.Stamp()
	if o.Table().Methods[c.Method].Role != Observer {
		t.Offer(epoch)
	}
	a.Txn, a.gen, a.ended = s.Epoch(), o.gen+1, o.gen+1
	a.maybeStale = unordered
	a.repeatMayDiffer = a.repeatMayDiffer || unordered // if it's repeated, what it returns may be what it has not returned yet
	for q := o.pending.P(); q != nil && !a.checks.head.Nil(); q = q.next.P() {
		if o.mayConflict(ts, c, q) {
			f.lastChange = 1<<32 - 1 // perhaps
		}
	}
	a.checks.changedAt(f.lastChange)
	for i := range f.n {
		o.classify(&f.race[i], s)
	}
	for i := range ts.n {
		o.touch(ts.all[i].point, c.Keys[ts.all[i].key], t, epoch, a, s)
	}
	o.gen++
	after := o.gen
	if f.n == 0 {
		a.unref()
	}
	o.lock.Unlock()
	if f.n != 0 {
		o.report(a, &f, s)
	}
	return after
}

// follow notes with the calls under way that t's, which is over, comes after them: they have done
// something that t waited for.
func (o *Object) noteLater(a *Action, t *vclock.Thread) {
	for p := o.pending.P(); p != nil; p = p.next.P() {
		epoch := p.epoch()
		if epoch == 0 || p.thread.P() == t || !t.Knows(epoch) {
			continue
		}
		if p.nLater < maxLater {
			p.later[p.nLater] = offheap.To(a.ref())
		}
		p.nLater = min(p.nLater+1, maxLater+1)
	}
}

// moment is the one that the call will be marked with, if that is fixed already.
func (p *pending) epoch() vclock.Epoch {
	if held := vclock.Epoch(p.pinned.Load()); held != 0 {
		return held
	}
	return p.thread.P().Held()
}

// resumed reports whether the call is back from a callback: it may have taken effect since, and who sees that
// comes after all that the callback did.
func (p *pending) resumed() bool {
	held := vclock.Epoch(p.pinned.Load())
	return held != 0 && p.thread.P().Held() == held
}

// comesAfter reports whether the call that is checked comes before a, which ended first.
func (f *found) comesAfter(a *Action) bool { return isLater(f.nLater, &f.later, a) }

// comesBefore is comesAfter for a call that is under way.
func (p *pending) comesBefore(a *Action) bool { return isLater(p.nLater, &p.later, a) }

func isLater(n uint32, after *[maxLater]offheap.Ref[Action], a *Action) bool {
	if n > maxLater {
		return true // perhaps
	}
	for i := range n {
		if after[i].P() == a {
			return true
		}
	}
	return false
}

// pendingOf is the record of a call that has begun, nil if it has none.
func pendingOf(c *Call) *pending { return *(**pending)(unsafe.Pointer(&c.Priv[0])) }

// Generation is the object's generation.
func (o *Object) Generation() uint32 {
	o.lock.Lock()
	gen := o.gen
	o.lock.Unlock()
	return gen
}

// tell reports what was found; it has a reference to each action, and no lock.
func (o *Object) report(a *Action, f *found, s Sink) {
	for i := range f.n {
		s.Race(o, f.race[i])
	}
	o.lock.Lock()
	for i := range f.n {
		f.race[i].First.unref()
		if c := f.race[i].Check; c != nil {
			c.unref()
		}
	}
	a.unref()
	o.lock.Unlock()
}

// Observe is a call of a method with at most one key that changed nothing and called nobody back.
// It reports whether it was seen to repeat an earlier one, so that nothing is left to be done; else
// End must follow.
func (o *Object) Observe(method, beta uint32, key uint64, t *vclock.Thread, at Place) bool {
	ts := o.Table().touched(method, beta)
	o.lock.Lock()
	done := o.pending.Nil() && o.repeat(method, ts, &[maxKeys]uint64{key}, t, repetition{at: at, txn: inPlace})
	o.lock.Unlock()
	return done
}

// repeated reports whether each point was touched by t before, and nothing happened since that
// could make this call differ: so there is nothing to check. Had a conflicting call been made
// since, it would have joined that touch's clock, which Fresh tells. Unless r.txn is still the
// touches move to the present, so that who learns of them learns all that t did before; nobody has
// to learn from a call that changes nothing. But if t has changed something since the touch, a
// touch that stays would be known to who learns only of the change.
func (o *Object) repeat(method uint32, ts *touches, keys *[maxKeys]uint64, t *vclock.Thread, r repetition) bool {
	var repeated [4]*entry
	mustMove := false                                                 // a touch has to move to the present, even if it is to be still
	if ts.n > len(repeated) || o.Table().Methods[method].asksUnused { // its result may be used, the earlier one's not
		return false
	}
	base := unsafe.Pointer(o.global.P())
	for i := range ts.n {
		tc := &ts.all[i]
		at := base
		if tc.keyed {
			at = o.keyLists(keys[tc.key])
		}
		e := listAt(at, int(tc.index)).head.P()
		for n := 0; e != nil && !t.Fresh(e.epoch); n++ {
			if e = e.next.P(); n == 3 {
				return false
			}
		}
		if e == nil || e.act.P().Txn < r.txnBegin {
			return false
		}
		repeated[i] = e
		mustMove = mustMove || t.Offered(e.epoch)
	}
	var epoch vclock.Epoch
	moves := r.txn != inPlace
	m := &o.Table().Methods[method]
	for i := range ts.n {
		a := repeated[i].act.P()
		if (moves || mustMove) && (a.At != r.at || !a.isCallOf(m, method, ts.all[i].keyed, keys)) {
			return false // a touch that moves stands for the later call, and so must its action
		}
	}
	if moves {
		o.gen++
	}
	if moves || mustMove {
		if epoch = t.Touch(); m.Role != Observer {
			t.Offer(epoch)
		}
	}
	for i := range ts.n {
		a := repeated[i].act.P()
		if epoch != 0 {
			repeated[i].epoch = epoch
		}
		switch {
		case moves:
			a.Txn, a.gen = r.txn, o.gen
		case !a.repeatMayDiffer && a.At == r.at:
			continue
		}
		if !a.isCallOf(m, method, ts.all[i].keyed, keys) {
			continue
		}
		if moves {
			a.began, a.ended = r.began, o.gen
		}
		if a.repeatMayDiffer || a.At != r.at || moves && !a.valueUnknown {
			a.noteRepeat(m, r.at)
		}
	}
	return true
}

// isOf reports whether a is a call of method m with the same keys, and not of another method that
// touches the same points.
func (a *Action) isCallOf(m *Method, method uint32, keyed bool, keys *[maxKeys]uint64) bool {
	return a.Method == method && (keyed && m.nkeys == 1 || a.keys == *keys)
}

// A repeat is what is told of a call that may repeat another.
type repetition struct {
	at       Place
	txn      vclock.Epoch // the present for transactions
	txnBegin vclock.Epoch // when that of the thread has begun, 0 if there is none: what was touched before is no part of it
	began    uint32       // the generation when the call began
}

// still is for a call whose touches don't move.
const inPlace = vclock.Epoch(1<<64 - 1)

// list returns the touches of a point.
func (o *Object) list(p uint8, key uint64) *list {
	pt := &o.Table().points[p]
	if pt.keyed {
		return listAt(o.keyLists(key), pt.index)
	}
	return listAt(unsafe.Pointer(o.global.P()), pt.index)
}

// check is phase 1: it looks at the touches of each conflicting point. It reports whether there
// are any that t doesn't know. Of transactions it is told whatever came before: of calls that overlapped it can't be said
// which did.
func (o *Object) check(ts *touches, c *Call, t *vclock.Thread, a *Action, f *found, s Sink) (unordered bool) {
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			haveLast := false
			for e := o.list(q, key).head.P(); e != nil; e = e.next.P() {
				if f.txnsRun && e.act.P().Txn != 0 && (e.act.P().gen <= f.began || t.Knows(e.epoch)) && !o.excepted(e.act.P(), a, s) {
					s.Conflict(o, e.act.P(), a)
				}
				sameG := e.act.P().Goid == a.Goid
				if !sameG || !haveLast { // the first of those is the last that was made
					o.linkChecks(a, e.act.P(), s)
				}
				haveLast = haveLast || sameG
				if b := e.act.P(); !sameG && b.ended > f.lastChange && o.Table().Methods[b.Method].Role != Observer {
					f.lastChange = b.ended
				}
				if t.Knows(e.epoch) {
					continue
				}
				if f.nLater != 0 && f.comesAfter(e.act.P()) {
					continue
				}
				unordered = true
				f.add(o, e.act.P(), a, o.Table().points[q].keyed, s)
			}
		}
	}
	return unordered
}

// add notes that two calls are in a race, unless they commute for a reason that is no point's.
func (f *found) add(o *Object, first, second *Action, keyed bool, s Sink) {
	if f.n == maxFound || f.has(first) || o.excepted(first, second, s) {
		return
	}
	f.race[f.n] = Race{First: first.ref(), Second: second, Keyed: keyed}
	f.n++
}

func (f *found) has(a *Action) bool {
	for i := range f.n {
		if f.race[i].First == a {
			return true
		}
	}
	return false
}

// learn joins the clocks of the calls that conflict, ended or pending. One that is pending and has released
// nothing yet cannot have taken effect, for then nobody else could have seen it.
func (o *Object) join(ts *touches, c *Call, t *vclock.Thread) {
	for i := range ts.n {
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			for e := o.list(lowest(conf), c.Keys[ts.all[i].key]).head.P(); e != nil; e = e.next.P() {
				if !t.Knows(e.epoch) {
					t.JoinAt(&e.act.P().stamp, e.epoch)
				}
			}
		}
	}
	for p := o.pending.P(); p != nil; p = p.next.P() {
		if p.thread.P() != t && (o.Table().quiet || p.epoch() != 0) && o.mayConflict(ts, c, p) {
			st := p.thread.P().Peek()
			if !p.resumed() {
				st.Before(p.epoch())
			}
			t.Join(&st)
			st.Drop()
		}
	}
}

// mayConflict reports whether a pending call may touch a point that conflicts with one of ts.
func (o *Object) mayConflict(ts *touches, c *Call, p *pending) bool {
	may := &o.Table().Methods[p.method].may
	for i := range ts.n {
		pt := &o.Table().points[ts.all[i].point]
		for j := range may.n {
			if pt.conflicts>>may.all[j].point&1 != 0 && (!pt.keyed || c.Keys[ts.all[i].key] == p.keys[may.all[j].key]) {
				return true
			}
		}
	}
	return false
}

// touch is phase 2 for one point: the touches that this one supersedes go, and it is added. A
// touch is superseded by a later one that knows it and conflicts with all that it conflicts with:
// who isn't ordered after the first isn't after the second (but see hide). But a call whose result is
// used, where that matters, is superseded only by another.
func (o *Object) touch(p uint8, key uint64, t *vclock.Thread, epoch vclock.Epoch, a *Action, s Sink) {
	unused := o.unused(a, s)
	for rest := o.Table().points[p].subsumes; rest != 0; rest &= rest - 1 {
		l := o.list(lowest(rest), key)
		if l.n > 8 && l.n < l.prune {
			continue // many unordered touches: searching them at each call would not be constant work
		}
		var inherit inheritance
		inherits := inherit.applies(o, a, p, lowest(rest))
		l.remove(func(e *entry) bool {
			known := t.Knows(e.epoch) && (!unused || !o.Table().Methods[e.act.P().Method].asksUnused || o.unused(e.act.P(), s))
			if inherits {
				inherit.take(o, e.act.P(), known, s)
			}
			if known && !o.pending.Nil() {
				o.keepSubsumed(e, lowest(rest), key, a)
			}
			return known
		})
		l.prune = 2*l.n + 8
	}
	o.list(p, key).push(epoch, a)
}

// lowest is the index of the lowest bit that is set.
func lowest(set uint64) uint8 {
	n := uint8(0)
	for set&0xff == 0 {
		set >>= 8
		n += 8
	}
	for set&1 == 0 {
		set >>= 1
		n++
	}
	return n
}
