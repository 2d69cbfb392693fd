// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A check and an act are two calls of one goroutine: the first observes, and by what it returned the program
// decides to make the second, a mutator that it doesn't commute with. That they depend on each other, the sink
// knows. Together they are meant to be a transaction, and a race of the act, or of its twin's check, breaks it:
//
//	Observed   C, X, A: another goroutine's X came in between. X doesn't commute with C or A, so that it can be moved neither
//	           before the check nor after the act.
//	Predicted  C, A, X: as nothing orders X before the check or after the act, what came before could be followed by C, X, A.
//	Twin       C, A, C': another goroutine's check at the same place. Before the act it would have returned what C did,
//	           and been followed by an act as well.
//
// The act finds its check among the touches that it looks at anyway, and keeps it; if X has superseded the check, with X. A call
// that repeats another is not kept, so there what it returned, and whether it was a check, may not be known: then the race is
// just a race.

// A Place is where a call was made: the return address in its caller, and how far the caller's frame is from the end of the
// stack. Both are 0 where that isn't known.
type Place struct{ Site, Frame uintptr }

// maxChecks is the number of checks that are kept of one act, and maxSeen that of others' that a call has come after: the
// latest.
const (
	maxChecks    = 2
	maxInherited = 6
)

// A check is an earlier call that observes, as it was then: one that the act whose list it is in depends on, or one whose touch
// was superseded by the call whose list it is in, of another goroutine.
type earlierCheck struct {
	call         offheap.Ref[Action]
	at           Place
	unknownUntil uint32 // up to which nothing is known to come after it
	valueUnknown bool
	maybeStale   bool // what it saw may have been changed before the act
	next         offheap.Ref[earlierCheck]
}

// checks are a list of them.
type checkList struct{ head offheap.Ref[earlierCheck] }

var checkRecords offheap.Slab[earlierCheck]

// A Breach says how a race breaks a check and act.
type Violation byte

const (
	NoViolation Violation = iota
	SymmetricCheck
	Predicted
	Observed
)

// A Race is two calls on an object that are not ordered and don't commute; Second is the later one.
type Race struct {
	First, Second *Action
	Keyed         bool // they meet in the point of a key

	Violation    Violation
	Check        *Action // of one of the two, nil if it is no act
	CheckAt      Place   // where that was made
	ValueUnknown bool    // what it returned isn't known
	ActSecond    bool    // the act is Second
	SameCode     bool    // the other goroutine checks at the same place, and has acted there as well unless the breach is Twin
}

// Act is the act, of a race that has a check.
func (r *Race) Act() *Action {
	if r.ActSecond {
		return r.Second
	}
	return r.First
}

// Intruder is the call by the other goroutine.
func (r *Race) Interfering() *Action {
	if r.ActSecond {
		return r.First
	}
	return r.Second
}

// SetPlace says where a call is made.
func (c *Call) SetPlace(p Place) { c.Priv[4], c.Priv[5] = p.Site, p.Frame }

// CalledAt is the return address of the call, 0 if it isn't known.
func (c *Call) CalledAt() uintptr { return c.Priv[4] }

func (c *Call) place() Place { return Place{c.Priv[4], c.Priv[5]} }

// keep adds a check to a list of at most n, in place of the earliest.
func (l *checkList) keep(c *Action, n int) {
	oldest := l.head.P()
	for k := l.head.P(); k != nil; k = k.next.P() {
		if k.call.P() == c {
			return
		}
		if k.unknownUntil < oldest.unknownUntil {
			oldest = k
		}
		n--
	}
	gen := max(c.ended, c.unknownUntil)
	if n > 0 {
		oldest = checkRecords.Get()
		oldest.next, l.head = l.head, offheap.To(oldest)
	} else {
		if gen < oldest.unknownUntil {
			return
		}
		oldest.call.P().unref()
	}
	oldest.call, oldest.at, oldest.unknownUntil, oldest.valueUnknown, oldest.maybeStale = offheap.To(c.ref()), c.At, gen, c.valueUnknown, c.maybeStale || c.repeatMayDiffer || c.valueUnknown
}

// since notes that something was changed after some of the checks.
func (l *checkList) changedAt(gen uint32) {
	for k := l.head.P(); k != nil; k = k.next.P() {
		k.maybeStale = k.maybeStale || k.unknownUntil < gen
	}
}

// drop empties the list.
func (l *checkList) drop() {
	for k := l.head.P(); k != nil; k = l.head.P() {
		l.head = k.next
		k.call.P().unref()
		checkRecords.Put(k)
	}
}

// meet is for a call b that came before a, and touches a conflicting point.
func (o *Object) linkChecks(a, b *Action, s Sink) {
	ra, rb := o.Table().Methods[a.Method].Role, o.Table().Methods[b.Method].Role
	if b.Goid == a.Goid {
		switch {
		case ra == Observer:
			a.repeatMayDiffer = true // b may be repeated, and then a
		case rb == Observer:
			o.addCheck(a, b, s)
			b.repeatMayDiffer, b.maybeStale = true, true
		}
	}
	for at := &b.inherited.head; !at.Nil(); {
		k := at.P()
		c := k.call.P()
		if c.Goid == a.Goid {
			o.addCheck(a, c, s)
			if o.callSubsumes(a, c) { // as it would have superseded it
				*at = k.next
				c.unref()
				checkRecords.Put(k)
				continue
			}
		}
		at = &k.next
	}
}

// decide notes an earlier observation of a's goroutine with a, if that depends on it.
func (o *Object) addCheck(a, c *Action, s Sink) {
	if o.Table().Methods[a.Method].Role == Mutator && c.ended <= a.began && s.Decides(o.Table(), c, a) && o.conflict(c, a, s) {
		a.checks.keep(c, maxChecks)
		a.repeatMayDiffer = true
	}
}

// covers reports whether a touch of a supersedes one of c: of a key, if c has touched any.
func (o *Object) callSubsumes(a, c *Action) bool {
	ta, tc := o.Table().touched(a.Method, a.beta), o.Table().touched(c.Method, c.beta)
	keyed := false
	for i := range tc.n {
		keyed = keyed || tc.all[i].keyed
	}
	for i := range tc.n {
		x := &tc.all[i]
		for j := range ta.n {
			y := &ta.all[j]
			if x.keyed == keyed && o.Table().points[y.point].subsumes>>x.point&1 != 0 && (!keyed || a.keys[y.key] == c.keys[x.key]) {
				return true
			}
		}
	}
	return false
}

// A heir is a call that changes something, while the touches of a point go that it supersedes. If others' acts may depend on one
// of those, they find it with the heir: the acts that the heir conflicts with, and so do all calls that supersede what they
// depend on, and take it away.
type inheritance struct {
	by     *Action
	nGoids int
	goids  [8]uint64 // whose touches were met; of each, the first is the last that was made
}

// takes reports whether touches of a point are to be taken over by those of p.
func (h *inheritance) applies(o *Object, a *Action, p, of uint8) bool {
	h.by = a
	return o.Table().points[p].conflicts>>of&1 != 0
}

// meet is for each of the touches, whether it goes or not.
func (h *inheritance) take(o *Object, b *Action, gone bool, s Sink) {
	lastOfG := h.nGoids < len(h.goids)
	for _, g := range h.goids[:h.nGoids] {
		lastOfG = lastOfG && g != b.Goid
	}
	if h.nGoids < len(h.goids) {
		h.goids[h.nGoids] = b.Goid
		h.nGoids++
	}
	if !gone {
		return
	}
	if lastOfG && b.Goid != h.by.Goid && o.Table().Methods[b.Method].Role == Observer && s.Checks(o.Table(), b) {
		h.by.inherited.keep(b, maxInherited)
	}
	for k := b.inherited.head.P(); k != nil; k = k.next.P() {
		if k.call.P().Goid != h.by.Goid {
			h.by.inherited.keep(k.call.P(), maxInherited)
		}
	}
}

// again notes that the call was repeated, at a place. In between, its goroutine may have made others that it does not commute
// with, if it's loose, which were repeated as well.
func (a *Action) noteRepeat(m *Method, at Place) {
	if a.At != at {
		a.At = at
		a.checks.drop() // they were those of another act
	}
	a.valueUnknown = a.valueUnknown || a.repeatMayDiffer || m.Role != Observer // another value perhaps
	a.repeatMayDiffer = false
	for k := a.checks.head.P(); k != nil; k = k.next.P() {
		k.valueUnknown, k.maybeStale = true, true
	}
}

// goesOn is for a call that observes, and calls back, while calls by others begin and end: it may have seen what those did that
// have begun by now.
func (o *Object) extendUnknown(ts *touches, c *Call, t *vclock.Thread) {
	slot := t.Now().Slot()
	extend := func(a *Action) {
		if a.Method == c.Method && a.stamp.Own().Slot() == slot {
			a.unknownUntil = o.gen
		}
	}
	for i := range ts.n {
		key := c.Keys[ts.all[i].key]
		for e := o.list(ts.all[i].point, key).head.P(); e != nil; e = e.next.P() {
			extend(e.act.P())
		}
		for conf := o.Table().points[ts.all[i].point].conflicts; conf != 0; conf &= conf - 1 {
			for e := o.list(lowest(conf), key).head.P(); e != nil; e = e.next.P() {
				for k := e.act.P().inherited.head.P(); k != nil; k = k.next.P() {
					extend(k.call.P())
				}
			}
		}
	}
}

// breach fills in how the race r breaks a check and act, the worst way if there are several. The object's lock is held.
func (o *Object) classify(r *Race, s Sink) {
	for k := r.Second.checks.head.P(); k != nil; k = k.next.P() {
		o.classifySecond(r, k, s)
	}
	for k := r.First.checks.head.P(); k != nil; k = k.next.P() {
		switch {
		case o.Table().Methods[r.Second.Method].Role == Observer:
			o.classifySymmetric(r, k, r.Second, false)
		case k.unknownUntil < r.Second.began && o.conflict(k.call.P(), r.Second, s) && o.wouldChange(k, r.Second):
			r.setViolation(Predicted, k, false)
		}
	}
	if r.Check != nil {
		r.Check.ref()
	}
}

// between is breach for an act that is the second call.
func (o *Object) classifySecond(r *Race, k *earlierCheck, s Sink) {
	x := r.First
	switch {
	case o.Table().Methods[x.Method].Role == Observer:
		o.classifySymmetric(r, k, x, true)
	case k.unknownUntil >= x.began || !o.conflict(k.call.P(), x, s): // it overlapped the check, and may have come before
	case x.ended <= r.Second.began:
		r.setViolation(Observed, k, true)
	case o.wouldChange(k, x): // it overlapped the act
		r.setViolation(Predicted, k, true)
	}
}

// twin is breach for the act with check k, and another goroutine's observation x.
func (o *Object) classifySymmetric(r *Race, k *earlierCheck, x *Action, actSecond bool) {
	c := k.call.P()
	if x.Method != c.Method || x.At.Site != k.at.Site || !o.sameKeys(c, x) {
		return
	}
	if actSecond && (k.valueUnknown || x.valueUnknown || !sameValues(c, x)) || !actSecond && k.maybeStale {
		return // it did not see what the check saw, or would not have
	}
	r.setViolation(SymmetricCheck, k, actSecond)
}

func (r *Race) setViolation(b Violation, k *earlierCheck, actSecond bool) {
	if b <= r.Violation {
		return
	}
	r.Violation, r.Check, r.CheckAt, r.ValueUnknown, r.ActSecond = b, k.call.P(), k.at, k.valueUnknown, actSecond
	r.SameCode = b == SymmetricCheck
	if x := r.Interfering(); x.At.Site == r.Act().At.Site {
		for i := x.checks.head.P(); i != nil; i = i.next.P() {
			r.SameCode = r.SameCode || i.at.Site == k.at.Site
		}
	}
}

func (o *Object) sameKeys(a, b *Action) bool {
	for i := range o.Table().Methods[a.Method].nkeys {
		if a.keys[i] != b.keys[i] {
			return false
		}
	}
	return true
}

// conflict reports whether two calls touch conflicting points, and don't commute.
func (o *Object) conflict(a, b *Action, s Sink) bool {
	return o.conflictingTouches(o.Table().touched(a.Method, a.beta), a, o.Table().touched(b.Method, b.beta), b) && !o.excepted(a, b, s)
}

// meets reports whether a touch of a by ta conflicts with one of b by tb.
func (o *Object) conflictingTouches(ta *touches, a *Action, tb *touches, b *Action) bool {
	for i := range ta.n {
		pt := &o.Table().points[ta.all[i].point]
		for j := range tb.n {
			if pt.conflicts>>tb.all[j].point&1 != 0 && (!pt.keyed || a.keys[ta.all[i].key] == b.keys[tb.all[j].key]) {
				return true
			}
		}
	}
	return false
}

// overtakes reports whether x would have changed what k saw, had it come right after. As it was made in another state, it may
// have changed something then, and not have then; where the specification asks what it returned, a mutator is taken to
// change whatever it finds, but for a value that it puts there and that was there already.
func (o *Object) wouldChange(k *earlierCheck, x *Action) bool {
	t, c := o.Table(), k.call.P()
	m := &t.Methods[x.Method]
	if m.Role != Mutator {
		return false
	}
	always := m.betas <= maxBetas
	for beta := range min(m.betas, maxBetas) {
		always = always && o.conflictingTouches(t.touched(c.Method, c.beta), c, t.touched(x.Method, uint32(beta)), x)
	}
	return always || !k.valueUnknown && !x.valueUnknown && m.putsNewValue(x, &t.Methods[c.Method], c)
}

// maxBetas bounds the cases that are looked at of what a call may have returned.
const maxBetas = 256

// puts reports whether x is given a value that is no key, and c did not return any such value.
func (m *Method) putsNewValue(x *Action, seen *Method, c *Action) bool {
	put, results := false, seen.NParams()
	for i := range min(m.NParams(), len(x.Args())) {
		if m.isKey(i) {
			continue
		}
		put = true
		for j := results; j < len(c.Args()); j++ {
			if sameValue(&x.args[i], &c.args[j]) {
				return false
			}
		}
	}
	return put && results < len(c.Args())
}

func (m *Method) isKey(arg int) bool {
	for _, k := range m.keys[:m.nkeys] {
		if int(k) == arg {
			return true
		}
	}
	return false
}

// same reports whether two values may be equal, as far as they are kept.
func sameValue(a, b *Arg) bool {
	return a.Type == b.Type && a.Len == b.Len && string(a.Bytes()) == string(b.Bytes())
}

// alike reports whether two calls of a method have the same arguments and results, as far as those are kept.
func sameValues(a, b *Action) bool {
	for i := range a.Args() {
		if i >= len(b.Args()) || !sameValue(&a.args[i], &b.args[i]) {
			return false
		}
	}
	return true
}
