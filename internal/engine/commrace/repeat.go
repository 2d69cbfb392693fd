// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// The second fast path. Most calls repeat an earlier call of their goroutine, to which nothing has
// been added since: a loop that loads a key, a counter that is incremented. Such a call has nothing
// to check, and the earlier call's touches and action can stand for it.

// A repetition describes a call that may repeat another.
type repetition struct {
	at  Place
	txn vclock.Epoch // the present in the clocks of transactions, or inPlace
	// The epoch at which the thread's transaction has begun, 0 outside of one. A touch from before
	// it is no part of the transaction, so a call in the transaction does not repeat it.
	txnBegin vclock.Epoch
	began    uint32 // the generation when the call began

	// What remembers the call, of that case of its method; it may be nil.
	seen *Seen
	beta uint32
}

// A Repeated says whether a call repeats an earlier one.
type Repeated uint8

const (
	Other Repeated = iota // it does not
	Again                 // it does, and has left no trace
	Noted                 // it does, and something was noted with the call that it repeats
)

// inPlace is the txn of a call whose touches stay at their epochs.
const inPlace = vclock.Epoch(1<<64 - 1)

// Observe makes a whole call of a method with at most one key that changed nothing and called
// nothing back. If the call repeats an earlier one, nothing is left to be done. If the result is
// Other, what is locked stays so, and it must be handed to EndObserved or Release. Sn remembers it
// for Again; it may be nil.
func (o *Object) Observe(
	sn *Seen, method, beta uint32, key uint64, t *vclock.Thread, at Place,
) (how Repeated, locked *Locked) {
	if t.Held() != 0 { // what is held has several events, and is no sign of one
		sn = nil
	}
	keys := [maxKeys]uint64{key}
	h := o.lockFor(&o.Table().Methods[method], &keys, t)
	if h.in.pending.Nil() && h.nonePending(nil) {
		ts := o.Table().touched(method, beta)
		how = h.repeat(method, ts, &keys, t, &repetition{
			at: at, txn: inPlace, seen: sn, beta: beta,
		})
	}
	if how == Other {
		return Other, (*Locked)(h.in)
	}
	h.unlock()
	return how, nil
}

// Locked is what Observe has locked of an object.
type Locked stripe

// EndObserved is EndOther for an observation outside of transactions.
func (o *Object) EndObserved(locked *Locked, sn *Seen, c *Call, t *vclock.Thread, s Sink) {
	if t.Held() != 0 {
		sn = nil
	}
	h := held{o, (*stripe)(locked)}
	ts := o.Table().touched(c.Method, c.Beta)
	txn := s.Ends()
	if ts.n == 0 || h.renews(sn, c, ts, t, txn, s) {
		h.unlock()
		return
	}
	if !h.whole() {
		h = h.widen(c, t)
	}
	h.add(sn, c, nil, ts, t, txn, s)
}

// Release unlocks what Observe has locked.
func (o *Object) Release(locked *Locked) { held{o, (*stripe)(locked)}.unlock() }

// repeatsEarlier reports whether a call that has ended repeats an earlier one; p is its pending
// record, if it has one. A call that met others, or that others may still have to be checked with,
// takes the long way.
func (h held) repeatsEarlier(
	sn *Seen, c *Call, p *pending, ts *touches, t *vclock.Thread, txn vclock.Epoch, s Sink,
) bool {
	began := uint32(0)
	if p != nil {
		if p.nEarly > 0 {
			return false
		}
		began = p.began
	}
	if !h.nonePending(p) {
		return false // other calls are under way
	}
	if p != nil && sn != nil && txn == 0 && sn.repeatsChange(h, c, p, t) {
		return true
	}
	var r repetition // its fields are set one by one: a literal is made elsewhere, and copied
	r.at, r.txn, r.txnBegin, r.began = c.Place(), txn, s.Began(), began
	r.seen, r.beta = sn, c.Beta
	return h.repeat(c.Method, ts, &c.Keys, t, &r) != Other
}

// among is the number of touches of a point among which those of a call's own goroutine are looked
// for. As many goroutines may take turns at a key without taking the long way.
const among = 16

// repeat reports whether t has touched each point of the call before, and nothing happened since
// that could make this call differ. Then there is nothing to check. A conflicting call since would
// have joined the earlier touch's clock, which UnchangedSince tells.
//
// Unless r.txn is inPlace the touches move to the present, so that a thread that knows them knows
// all that t did before. A call that changes nothing need not move: no thread has anything to learn
// from it. There is one exception, mustMove. If t has changed something since the touch, others
// may join that change's snapshot; a touch that stayed would look as if they knew it. All touches
// of a call move then: who joins one of them knows of the others.
//
// A touch of a key moves only if its action is one of the same method, place and keys: it then
// stands for this call. The latest touch of a point without a key may be of a call with another
// key. It becomes one of the action that stands for this call. An act is left to the long way
// there, as its checks were made since.
//
// Nothing is changed before each point has been looked at, so that a call that repeats no other
// leaves no trace.
// The function is longer than others: cut in two, a call of Observe takes 7% more time.
func (h held) repeat(
	method uint32, ts *touches, keys *[maxKeys]uint64, t *vclock.Thread,
	r *repetition,
) (how Repeated) {
	var repeated [4]*entry
	var stands *Action // the action that stands for this call, if one has to
	mustMove := false  // the touches have to move
	renamed := uint(0) // bit i: repeated[i] has to become one of stands
	m := &h.Table().Methods[method]
	if ts.n > len(repeated) || m.asksUnused {
		// Where it matters whether a result is used, this call's may be used and the earlier
		// one's not.
		return Other
	}
	moves := r.txn != inPlace
	base := unsafe.Pointer(h.in.global.P())
	for i := range ts.n {
		tc := &ts.all[i]
		at := base
		if tc.keyed {
			// Making the lists of a new key may drop touches that were found already. But a new
			// key has no touch, so the result is false then.
			at = h.home(keys[tc.key]).keyLists(keys[tc.key])
		}
		e := listAt(at, int(tc.index)).head.P()
		// Among the first few touches of the point there must be one of t's that is fresh.
		for n := 0; e != nil && !t.UnchangedSince(e.at()); n++ {
			if e = e.next.P(); n == among {
				return Other
			}
		}
		if e == nil {
			return Other
		}
		// A touch of a key that the goroutine's own change has subsumed is of an observation that
		// may have seen something else.
		if e.act.P().Txn < r.txnBegin || tc.keyed && e.is(subsumed) {
			return Other
		}
		repeated[i] = e
		mustMove = mustMove || t.SnapshotAfter(e.at())
	}
	for i := 0; (moves || mustMove) && i < ts.n; i++ {
		tc := &ts.all[i]
		switch a := repeated[i].act.P(); {
		case a.isRepeatedBy(m, method, tc.keyed, keys, r.at):
			stands = a
		case tc.keyed || m.Role == Mutator:
			return Other
		default:
			renamed |= 1 << i
		}
	}
	if renamed != 0 && stands == nil {
		return Other
	}
	for i := 0; renamed>>i != 0; i++ {
		if renamed>>i&1 != 0 {
			repeated[i].standFor(stands)
		}
	}
	if moves {
		for _, e := range repeated[:ts.n] {
			e.forget()
		}
		how = h.move(m, repeated[:ts.n], t, r)
		r.seen.rememberCall(h, m, method, r.beta, keys[0], ts, &repeated, t, r.at)
		return how
	}
	var epoch vclock.Epoch
	how = Again
	if mustMove {
		how = Noted
		if epoch = t.Tick(); m.Role != Observer {
			t.NoteSnapshot(epoch)
		}
	}
	if m.Role != Observer {
		t.NoteUnmarked(t.Now())
	}
	for i := range ts.n {
		a := repeated[i].act.P()
		repeated[i].unmark(met)
		if mustMove {
			repeated[i].unmark(subsumed) // by a call of its own goroutine
			repeated[i].move(epoch)
		}
		if !a.repeatMayDiffer && a.At == r.at {
			continue
		}
		if a.isCallOf(m, method, ts.all[i].keyed, keys) { // else another method's touch: it stays
			if a.At != r.at {
				repeated[i].renumber()
			}
			a.noteRepeat(m, r.at)
			how = Noted
		}
	}
	if r.seen != nil {
		r.seen.remember(h.Object, method, r.beta, keys[0], ts, &repeated, t, r.at)
	}
	return how
}

// rememberCall remembers a call of t that was made, with its touches, unless sn is nil.
func (sn *Seen) rememberCall(
	h held, m *Method, method, beta uint32, key uint64, ts *touches, own *[4]*entry,
	t *vclock.Thread, at Place,
) {
	switch {
	case sn == nil:
	case m.Role == Observer:
		sn.remember(h.Object, method, beta, key, ts, own, t, at)
	default:
		sn.rememberChange(h, method, beta, key, ts, own, t, at)
	}
}

// standFor makes a touch one of another call, which it then stands for.
func (e *entry) standFor(a *Action) {
	old := e.act.P()
	e.act = offheap.To(a.ref())
	e.forget()
	old.unref()
}

// isRepeatedBy reports whether a can stand for a call at another time, as it must if one of its
// touches moves.
func (a *Action) isRepeatedBy(
	m *Method, method uint32, keyed bool, keys *[maxKeys]uint64, at Place,
) bool {
	return a.At == at && a.isCallOf(m, method, keyed, keys)
}

// move is the end of repeat for a call whose touches move to the present. Each has an action that
// isRepeatedBy the call.
func (h held) move(
	m *Method, repeated []*entry, t *vclock.Thread, r *repetition,
) (how Repeated) {
	how = Again
	gen := h.ends(m)
	epoch := t.Tick()
	if m.Role != Observer {
		t.NoteSnapshot(epoch)
		t.NoteUnmarked(epoch)
	}
	for _, e := range repeated {
		e.unmark(marks)
		e.set(epoch)
		a := e.act.P()
		a.Txn, a.gen = r.txn, gen
		a.began, a.ended = r.began, gen
		if a.repeatMayDiffer || !a.valueUnknown {
			a.noteRepeat(m, r.at)
			how = Noted
		}
	}
	return how
}

// noteRepeat notes that the call was repeated, at a place. If repeatMayDiffer is set, its goroutine
// may have made others in between that it does not commute with, and that were repeated as well.
// A repeated mutator found what its first call had put, so its results may differ too.
func (a *Action) noteRepeat(m *Method, at Place) {
	if a.At != at {
		a.At = at
		a.checks.drop() // they were the checks of another act
	}
	a.valueUnknown = a.valueUnknown || a.repeatMayDiffer || m.Role != Observer
	a.repeatMayDiffer = false
	for k := a.checks.head.P(); k != nil; k = k.next.P() {
		k.valueUnknown, k.maybeStale = true, true
	}
}
