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

// Ownership. Until a second goroutine calls an object, its only caller owns it: all touches are its
// own, and no other call is under way. What nobody has to see yet is kept short then:
//
//   - A call that may change the object is a few words of the object, and no pending record.
//   - The touches of the object, beside those of keys, lag behind: that one has moved is noted.
//
// All of that is guarded by the object's lock. Whoever takes that for a call on another way, the
// owner included, first makes the record and moves the touches (arrive). A second goroutine ends
// ownership for good, or becomes the owner (handed.go).

// What owner is where it is not an epoch of the only caller.
const (
	shared = vclock.Epoch(0) // several goroutines have called
	anyone = busy            // nobody has
)

// ownership is what an object has for its owner. The lock guards it, but for looks at owner.
type ownership struct {
	owner  atomic.Uint64 // the owner's epoch when it became that, shared or anyone
	handed uint32        // how often the object was handed over
	thread offheap.Ref[vclock.Thread]
	// The owner's call that is under way, if there is one, and has no record.
	underWay bool
	method   uint32
	began    uint32
	keys     [1]uint64
	lagging  [2]lagging
}

// A touch of the object is lagging if it has the action and the epoch of a touch of a key by now,
// which is one of the same call.
type lagging struct{ touch, behind offheap.Ref[entry] }

// ownedCall is what a call has in the place of a pending record, if it is known as underWay.
const ownedCall = 1

// disown makes the object one that nobody has called.
func (o *ownership) disown() {
	o.owner.Store(uint64(anyone))
	o.underWay, o.handed = false, 0
	o.lagging = [2]lagging{}
}

// arrive brings the object up to date for t, a thread that makes a call. The holder of the lock
// calls it before it reads the object. A nil thread leaves the owner as it is.
func arrive(o *Object, t *vclock.Thread) {
	if vclock.Epoch(o.owner.Load()) != shared {
		settle(o, t)
	}
}

// settle is arrive for an object that has an owner, or gets one.
func settle(o *Object, t *vclock.Thread) {
	o.catchUp()
	if o.underWay {
		o.underWay = false
		p := pendings.Get()
		p.thread, p.method, p.nEarly, p.nLater = o.thread, o.method, 0, 0
		p.keys = [maxKeys]uint64{o.keys[0]}
		p.began, p.owned = o.began, true
		host.Publish64(&p.held, 0)
		o.begins(p)
	}
	switch own := vclock.Epoch(o.owner.Load()); {
	case t == nil:
	case own == anyone:
		o.thread = offheap.To(t)
		o.owner.Store(uint64(t.Now()))
	case !vclock.Own(t, own):
		handOver(o, t)
	}
}

// share ends ownership.
func share(o *Object) {
	settle(o, nil)
	o.owner.Store(uint64(shared))
}

// catchUp has all touches of the object be what they are.
func (o *ownership) catchUp() {
	for i := range o.lagging {
		if g := o.lagging[i].touch.P(); g != nil {
			e := o.lagging[i].behind.P()
			if g.act != e.act {
				g.standFor(e.act.P())
			}
			g.set(e.at()) // the owner may look at it without the lock
			o.lagging[i] = lagging{}
		}
	}
}

// lags makes g, a touch of the object, a touch of the call that made e. G lags behind e then.
func (o *ownership) lags(g, e *entry) {
	g.forget()
	if l := &o.lagging[0]; l.touch == offheap.To(g) {
		l.behind = offheap.To(e)
		return
	}
	l := &o.lagging[1]
	if l.touch != offheap.To(g) {
		if !l.touch.Nil() {
			o.catchUp()
		}
		if o.lagging[0].touch.Nil() {
			l = &o.lagging[0]
		}
	}
	l.touch, l.behind = offheap.To(g), offheap.To(e)
}

// action is the one that e, a touch of a key or the object, has when it doesn't lag behind.
func (o *ownership) action(e *entry) *Action {
	for i := range o.lagging {
		if o.lagging[i].touch == offheap.To(e) {
			return o.lagging[i].behind.P().act.P()
		}
	}
	return e.act.P()
}

// isOf reports whether the last call that g stands for, a touch of the object, is that which has e.
func (o *ownership) isOf(g, e *entry) bool {
	for i := range o.lagging {
		if o.lagging[i].touch == offheap.To(g) {
			return o.lagging[i].behind == offheap.To(e)
		}
	}
	return g.act == e.act
}

// owned reports whether t is the owner. What it says of the owner holds once the object is locked.
func (o *ownership) owned(t *vclock.Thread) bool {
	return vclock.Own(t, vclock.Epoch(o.owner.Load()))
}

// lockOwned locks the object if t is its owner, and has no call under way that has a record.
//
//bundle:inline
func lockOwned(o *Object, t *vclock.Thread) bool {
	own := o.owner.Load()
	if !vclock.Own(t, vclock.Epoch(own)) || !o.lock.TryLock() {
		return false
	}
	if o.owner.Load() != own || o.changing.Load() != 0 {
		o.lock.Unlock()
		return false
	}
	return true
}

// BeginOwned is Begin for a call of a method that [Method.Owns], where t owns the object. If it is
// not ok, nothing has changed. O(1).
//
//bundle:inline
func BeginOwned(
	o *Object, c *Call, t *vclock.Thread,
) (before, after uint32, ok bool) {
	if !lockOwned(o, t) {
		return 0, 0, false
	}
	c.Priv[0] = ownedCall
	before = o.gen.Load()
	after = before + 2
	host.Publish32(&o.gen, after)
	o.thread = offheap.To(t) // another one may have had its slot, and the epoch that owner is
	o.underWay, o.method, o.keys[0], o.began = true, c.Method, c.Keys[0], after
	o.lock.Unlock()
	return before, after, true
}

// adopt gives a call that its owner has begun the record that it has by now. The part is locked.
func (u *pendingCalls) adopt(c *Call) {
	if c.Priv[0] != ownedCall {
		return
	}
	c.Priv[0] = 0
	for p := u.pending.P(); p != nil; p = p.next.P() {
		if p.owned {
			c.Priv[0] = uintptr(unsafe.Pointer(p))
			return
		}
	}
}
