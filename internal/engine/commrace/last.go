// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine that makes one call again and again needs not even a new epoch for each. What
// makes that right:
//
//   - The touch of the call before has the present epoch, and no other event has it. The call has
//     the same points, so the touch at that epoch stands for both.
//   - Nobody has learned of the epoch, as of UnchangedSince. What the call has released in itself,
//     by its lock say, is held by the clock of that lock. The call releases to it again, and has
//     released nothing else (vclock.LockClock.ReleaseAgain). So who learns of the epoch later
//     learns it after both calls.
//   - The generation has not moved when that is released, nor when the call ends. So no call that
//     may conflict has begun since, and the record says when the call has ended. One that begins
//     and ends between these two, and doesn't take the lock, learns of the first call, and counts
//     as ordered after the second: a race that is missed.
//
// Which epoch a call has is decided when it releases something, before its results are known. So
// that is only for methods whose calls touch the same points whatever they return.

// A Last is the observation, or the owner's change, that a goroutine has made twice in a row. The
// zero Last is none.
type Last struct {
	again  offheap.Ref[entry] // the touch of the last call, which may be made once more
	object offheap.Ref[Object]
	touch  offheap.Ref[entry]
	what   uint64 // that of the touch
	epoch  vclock.Epoch
	key    uint64
	at     Place
	method uint32
	gen    uint32 // the object's generation
}

// note has l be a call that is over, with its touch, if the last one had the same touch. No call
// that may conflict was under way at the generation gen, or has begun until then. After a change it
// is the present generation.
//
//bundle:inline
func (l *Last) note(o *Object, c *Call, e *entry, gen uint32) {
	if l.again != offheap.To(e) {
		l.again = offheap.To(e)
	} else {
		l.keep(o, c, e, gen)
	}
}

// keep is note for a call that has the touch of the last one.
func (l *Last) keep(o *Object, c *Call, e *entry, gen uint32) {
	if o.Table().Methods[c.Method].betas > 1 || e.globalState.Load()&differs != 0 {
		l.object = offheap.Ref[Object]{}
		return
	}
	l.object, l.touch, l.what = offheap.To(o), offheap.To(e), e.what.Load()
	l.epoch, l.gen = vclock.Epoch(e.epoch.Load()), gen
	l.key, l.at, l.method = c.Keys[0], c.Place(), c.Method
}

// Generation is that of the object at which nothing had begun that may conflict with the call.
func (l *Last) Generation() uint32 { return l.gen }

// Begins reports whether a call that begins, and has its key already, is like l, and may have the
// epoch that l has marked: no change has begun since. T is the goroutine of both. O(1).
//
//bundle:inline
func (l *Last) Begins(o *Object, c *Call, t *vclock.Thread) bool {
	return l.object == offheap.To(o) && c.Keys[0] == l.key && c.Method == l.method &&
		c.Priv[4] == l.at.Site && c.Priv[5] == l.at.Frame && o.gen.Load() == l.gen &&
		vclock.AloneAt(t, l.epoch)
}

// Ends is EndAgain for a call of which Begins was true. If the result is false, nothing has
// changed, and EndAgain must follow. O(1).
//
//bundle:inline
func (l *Last) Ends(o *Object, c *Call, t *vclock.Thread) bool {
	e := l.touch.P()
	return l.mayEnd(t) && o.gen.Load() == l.gen && c.Keys[0] == l.key &&
		e.what.Load() == l.what && vclock.Epoch(e.epoch.Load()) == l.epoch
}

// mayEnd reports whether a call of t that ends has released the epoch of l as the call before has,
// and t has learned nothing meanwhile.
//
//bundle:inline
func (l *Last) mayEnd(t *vclock.Thread) bool {
	// What is held is the epoch of l only where it was released again. Any other Hold would have
	// left it, as it is marked.
	if held := t.Held(); held != l.epoch && (held != 0 || vclock.ReleasedInCall(t)) {
		return false
	}
	return vclock.AloneAt(t, l.epoch)
}

// EndsOwned is EndOwned for a change of which Begins was true, and that BeginOwned has begun then.
// If the result is false, nothing has changed, and EndOwned must follow. O(1).
//
//bundle:inline
func (l *Last) EndsOwned(o *Object, c *Call, t *vclock.Thread) bool {
	if c.Priv[0] != ownedCall || c.Keys[0] != l.key || !l.mayEnd(t) || !lockOwned(o, t) {
		return false
	}
	// It has no record still, so nobody has looked at the object since it began.
	o.underWay = false
	c.Priv[0] = 0
	l.gen = o.gen.Load()
	o.lock.Unlock()
	return true
}
