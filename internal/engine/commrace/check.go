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

	spare Race // with a call that was superseded, see hide

	nAfter uint32 // calls that the one that is checked comes before
	after  [maxAfter]offheap.Ref[Action]

	running bool   // transactions are
	began   uint32 // up to which generation calls had ended when the one that is checked began
	changed uint32 // when the last call of another goroutine has ended that it doesn't commute with, and that may change something
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
	o.unpend(c)
	o.lock.Unlock()
}

func (o *Object) unpend(c *Call) {
	for at := &o.pending; !at.Nil(); at = &at.P().next {
		if p := at.P(); uintptr(unsafe.Pointer(p)) == c.Priv[0] {
			for i := range p.nEarly {
				p.early[i].act.P().unref()
			}
			for i := range min(p.nAfter, maxAfter) {
				p.after[i].P().unref()
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
	if ts.n == 0 || o.repeats(c, p, ts, t, txn, s) {
		if p != nil {
			o.unpend(c)
		}
		after = o.gen
		o.lock.Unlock()
		return before, after
	}
	return before, o.add(c, p, ts, t, txn, s)
}

// repeats reports whether a call that is over, p when it began, repeats an earlier one.
func (o *Object) repeats(c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink) bool {
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
	return o.repeated(c.Method, ts, &c.Keys, t, repeat{c.place(), txn, s.Began(), began})
}

// add is End for a call that repeats no other. It lets the object's lock go, and returns its generation.
func (o *Object) add(c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink) uint32 {
	f := found{running: txn != 0} // when an observer began is not known
	a := o.action(c, s)
	if p != nil {
		f.began, a.began = p.began, p.began
		o.checkEarly(p, ts, c, t, a, &f, s)
		f.nAfter, f.after = p.nAfter, p.after
		o.unpend(c)
	}
	news := o.check(ts, c, t, a, &f, s)
	f.settle()
	o.follow(a, t)
	if news || !o.pending.Nil() {
		o.learn(ts, c, t)
	}
	own := t.Tick()
	a.stamp = t.Snapshot()
	if o.Table().Methods[c.Method].Role != Observer {
		t.NoteSnapshot(own)
	}
	a.Txn, a.gen, a.ended = s.Epoch(), o.gen+1, o.gen+1
	a.mixed = news
	a.loose = a.loose || news // if it's repeated, what it returns may be what it has not returned yet
	for q := o.pending.P(); q != nil && !a.checks.head.Nil(); q = q.next.P() {
		if o.mayConflict(ts, c, q) {
			f.changed = 1<<32 - 1 // perhaps
		}
	}
	a.checks.since(f.changed)
	for i := range f.n {
		o.breach(&f.race[i], s)
	}
	for i := range ts.n {
		o.touch(ts.all[i].point, c.Keys[ts.all[i].key], t, own, a, s)
	}
	o.gen++
	after := o.gen
	if f.n == 0 {
		a.unref()
	}
	o.lock.Unlock()
	if f.n != 0 {
		o.tell(a, &f, s)
	}
	return after
}

// follow notes with the calls under way that t's, which is over, comes after them: they have done
// something that t waited for.
func (o *Object) follow(a *Action, t *vclock.Thread) {
	for p := o.pending.P(); p != nil; p = p.next.P() {
		held := p.moment()
		if held == 0 || p.thread.P() == t || !t.Knows(held) {
			continue
		}
		if p.nAfter < maxAfter {
			p.after[p.nAfter] = offheap.To(a.ref())
		}
		p.nAfter = min(p.nAfter+1, maxAfter+1)
	}
}

// moment is the one that the call will be marked with, if that is fixed already.
func (p *pending) moment() vclock.Epoch {
	if held := vclock.Epoch(p.held.Load()); held != 0 {
		return held
	}
	return p.thread.P().Held()
}

// resumed reports whether the call is back from a callback: it may have taken effect since, and who sees that
// comes after all that the callback did.
func (p *pending) resumed() bool {
	held := vclock.Epoch(p.held.Load())
	return held != 0 && p.thread.P().Held() == held
}

// comesAfter reports whether the call that is checked comes before a, which ended first.
func (f *found) comesAfter(a *Action) bool { return isAfter(f.nAfter, &f.after, a) }

// comesBefore is comesAfter for a call that is under way.
func (p *pending) comesBefore(a *Action) bool { return isAfter(p.nAfter, &p.after, a) }

func isAfter(n uint32, after *[maxAfter]offheap.Ref[Action], a *Action) bool {
	if n > maxAfter {
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
func (o *Object) tell(a *Action, f *found, s Sink) {
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
	done := o.pending.Nil() && o.repeated(method, ts, &[maxKeys]uint64{key}, t, repeat{at: at, txn: still})
	o.lock.Unlock()
	return done
}

// repeated reports whether each point was touched by t before, and nothing happened since that
// could make this call differ: so there is nothing to check. Had a conflicting call been made
// since, it would have joined that touch's clock, which Fresh tells. Unless r.txn is still the
// touches move to the present, so that who learns of them learns all that t did before; nobody has
// to learn from a call that changes nothing. But if t has changed something since the touch, a
// touch that stays would be known to who learns only of the change.
func (o *Object) repeated(method uint32, ts *touches, keys *[maxKeys]uint64, t *vclock.Thread, r repeat) bool {
	var same [4]*entry
	lags := false                                              // a touch has to move to the present, even if it is to be still
	if ts.n > len(same) || o.Table().Methods[method].ignored { // its result may be used, the earlier one's not
		return false
	}
	base := unsafe.Pointer(o.global.P())
	for i := range ts.n {
		tc := &ts.all[i]
		at := base
		if tc.keyed {
			at = o.get(keys[tc.key])
		}
		e := listAt(at, int(tc.index)).head.P()
		for n := 0; e != nil && !t.UnchangedSince(e.own); n++ {
			if e = e.next.P(); n == 3 {
				return false
			}
		}
		if e == nil || e.act.P().Txn < r.inside {
			return false
		}
		same[i] = e
		lags = lags || t.SnapshotAfter(e.own)
	}
	var own vclock.Epoch
	moves := r.txn != still
	m := &o.Table().Methods[method]
	for i := range ts.n {
		a := same[i].act.P()
		if (moves || lags) && (a.At != r.at || !a.isOf(m, method, ts.all[i].keyed, keys)) {
			return false // a touch that moves stands for the later call, and so must its action
		}
	}
	if moves {
		o.gen++
	}
	if moves || lags {
		if own = t.Tick(); m.Role != Observer {
			t.NoteSnapshot(own)
		}
	}
	for i := range ts.n {
		a := same[i].act.P()
		if own != 0 {
			same[i].own = own
		}
		switch {
		case moves:
			a.Txn, a.gen = r.txn, o.gen
		case !a.loose && a.At == r.at:
			continue
		}
		if !a.isOf(m, method, ts.all[i].keyed, keys) {
			continue
		}
		if moves {
			a.began, a.ended = r.began, o.gen
		}
		if a.loose || a.At != r.at || moves && !a.doubt {
			a.again(m, r.at)
		}
	}
	return true
}

// isOf reports whether a is a call of method m with the same keys, and not of another method that
// touches the same points.
func (a *Action) isOf(m *Method, method uint32, keyed bool, keys *[maxKeys]uint64) bool {
	return a.Method == method && (keyed && m.nkeys == 1 || a.keys == *keys)
}

// A repeat is what is told of a call that may repeat another.
type repeat struct {
	at     Place
	txn    vclock.Epoch // the present for transactions
	inside vclock.Epoch // when that of the thread has begun, 0 if there is none: what was touched before is no part of it
	began  uint32       // the generation when the call began
}

// still is for a call whose touches don't move.
const still = vclock.Epoch(1<<64 - 1)

// list returns the touches of a point.
func (o *Object) list(p uint8, key uint64) *list {
	pt := &o.Table().points[p]
	if pt.keyed {
		return listAt(o.get(key), pt.index)
	}
	return listAt(unsafe.Pointer(o.global.P()), pt.index)
}

// check is phase 1: it looks at the touches of each conflicting point. It reports whether there
// are any that t doesn't know. Of transactions it is told whatever came before: of calls that overlapped it can't be said
// which did.
func (o *Object) check(ts *touches, c *Call, t *vclock.Thread, a *Action, f *found, s Sink) (news bool) {
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			q := lowest(conf)
			mine := false
			for e := o.list(q, key).head.P(); e != nil; e = e.next.P() {
				if f.running && e.act.P().Txn != 0 && (e.act.P().gen <= f.began || t.Knows(e.own)) && !o.residue(e.act.P(), a, s) {
					s.Conflict(o, e.act.P(), a)
				}
				own := e.act.P().Goid == a.Goid
				if !own || !mine { // the first of those is the last that was made
					o.meet(a, e.act.P(), s)
				}
				mine = mine || own
				if b := e.act.P(); !own && b.ended > f.changed && o.Table().Methods[b.Method].Role != Observer {
					f.changed = b.ended
				}
				if t.Knows(e.own) {
					continue
				}
				if f.nAfter != 0 && f.comesAfter(e.act.P()) {
					continue
				}
				news = true
				f.add(o, e.act.P(), a, o.Table().points[q].keyed, s)
			}
		}
	}
	return news
}

// add notes that two calls are in a race, unless they commute for a reason that is no point's.
func (f *found) add(o *Object, first, second *Action, keyed bool, s Sink) {
	if f.n == maxFound || f.has(first) || o.residue(first, second, s) {
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
func (o *Object) learn(ts *touches, c *Call, t *vclock.Thread) {
	for i := range ts.n {
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			for e := o.list(lowest(conf), c.Keys[ts.all[i].key]).head.P(); e != nil; e = e.next.P() {
				if !t.Knows(e.own) {
					t.JoinAt(&e.act.P().stamp, e.own)
				}
			}
		}
	}
	for p := o.pending.P(); p != nil; p = p.next.P() {
		if p.thread.P() != t && (o.Table().quiet || p.moment() != 0) && o.mayConflict(ts, c, p) {
			st := p.thread.P().RemoteSnapshot()
			if !p.resumed() {
				st.ExcludeHeld(p.moment())
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
func (o *Object) touch(p uint8, key uint64, t *vclock.Thread, own vclock.Epoch, a *Action, s Sink) {
	unused := o.unused(a, s)
	for dom := o.Table().points[p].dominated; dom != 0; dom &= dom - 1 {
		l := o.list(lowest(dom), key)
		if l.n > 8 && l.n < l.prune {
			continue // many unordered touches: searching them at each call would not be constant work
		}
		var h heir
		takes := h.takes(o, a, p, lowest(dom))
		l.remove(func(e *entry) bool {
			gone := t.Knows(e.own) && (!unused || !o.Table().Methods[e.act.P().Method].ignored || o.unused(e.act.P(), s))
			if takes {
				h.meet(o, e.act.P(), gone, s)
			}
			if gone && !o.pending.Nil() {
				o.hide(e, lowest(dom), key, a)
			}
			return gone
		})
		l.prune = 2*l.n + 8
	}
	o.list(p, key).push(own, a)
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
