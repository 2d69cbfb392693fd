// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A pending call is one that has begun, may change the object, and has not ended. It may have taken
// effect, and it may still do so. Calls that end meanwhile leave with it what it has to be checked
// with when it ends (early, later).
type pending struct {
	next   offheap.Ref[pending]
	thread offheap.Ref[vclock.Thread]
	method uint32
	nEarly uint32
	keys   [maxKeys]uint64
	early  [maxEarly]early
	start  start  // of an open call
	began  uint32 // the object's generation when it was begun
	owned  bool   // it was begun by BeginOwned

	// The epoch at which its touches will be made, once that is fixed: at the first callback.
	// Whoever knows it comes after what the call did up to there.
	held   atomic.Uint64
	nLater uint32
	later  [maxLater]offheap.Ref[Action] // calls that ended meanwhile, and come after it
}

// maxEarly is the number of early touches that are kept for one call. Races with more are missed.
const maxEarly = 16

// An early touch is kept for a pending call, because its own list will not show it as it was. There
// are two kinds:
//
//   - The call's thread did not know the touch, and was about to join its clock for a callback, or
//     an open call began. The two race all the same, if the calls turn out not to commute.
//   - Another touch subsumed it while the call was under way (keepSubsumed). Then the two race
//     unless the call's thread knows it in the end.
type early struct {
	act        offheap.Ref[Action]
	key        uint64
	subsumedAt vclock.Epoch // the epoch of a subsumed touch; 0 for the first kind
	point      uint8
}

var pendings offheap.Slab[pending]

func newPending(c *Call, t *vclock.Thread) *pending {
	p := pendings.Get()
	p.thread, p.method, p.keys, p.nEarly, p.nLater = offheap.To(t), c.Method, c.Keys, 0, 0
	p.owned = false
	host.Publish64(&p.held, 0)
	c.Priv[0] = uintptr(unsafe.Pointer(p))
	return p
}

// keepEarly adds an early touch of a point.
func (p *pending) keepEarly(e early) {
	if p.nEarly < maxEarly {
		e.act.P().ref()
		p.early[p.nEarly] = e
		p.nEarly++
	}
}

// pendingCalls is the calls of an object, or of a part of it, that are under way.
type pendingCalls struct {
	pending offheap.Ref[pending]
	// The number of the calls, and of those that are being checked: see quick.go.
	changing atomic.Uint32
}

// begins adds a call. The part is locked. The call is counted before it looks at touches: in
// between there is the compare-and-swap that locks the part once more, when it ends.
func (u *pendingCalls) begins(p *pending) {
	host.Publish32(&u.changing, u.changing.Load()+1)
	p.next = u.pending
	u.pending = offheap.To(p)
}

// over has a call count no longer that was under way, and was checked.
func (u *pendingCalls) over() { host.Publish32(&u.changing, u.changing.Load()-1) }

// removePending takes the record of a call off the list, and gives it back.
func (u *pendingCalls) removePending(c *Call) {
	for at := &u.pending; !at.Nil(); at = &at.P().next {
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

// noteChanges notes with the checks of a what may have changed since. A pending call that may
// conflict may have taken effect already, after any check.
func (h held) noteChanges(ts *touches, c *Call, a *Action, f *found) {
	for i := range h.pendingParts() {
		q := h.pendingPart(i).pending.P()
		for ; q != nil && !a.checks.head.Nil(); q = q.next.P() {
			if q.mayConflict(h.Table(), ts, c) {
				f.lastChange = 1<<32 - 1 // after all that has ended
			}
		}
	}
	a.checks.changedAt(f.lastChange)
}

// Hold makes an epoch known to others as the one at which the touches of a call will be made. The
// thread of a call that calls back holds that epoch: what the callback lets others know, the call
// did before.
func (c *Call) Hold(epoch vclock.Epoch) { host.Publish64(&pendingOf(c).held, uint64(epoch)) }

// Held is the epoch of Hold, 0 if there was none, or the call's method is an observer.
func (c *Call) Held() vclock.Epoch {
	if p := pendingOf(c); p != nil {
		return vclock.Epoch(p.held.Load())
	}
	return 0
}
