// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Object is what is known of one object of the program: the points that are active, with their
// last touches, and the calls under way. The zero Object, given its table by Init, is one that was
// never called.
type Object struct {
	divided offheap.AtomicRef[stripes] // nil until it is divided
	// 1 from when it is about to be divided.
	dividing atomic.Uint32
	gen      atomic.Uint32 // moves on with each change; even
	waited   uint32        // how often narrow calls have waited for the lock
	lastKey  uint64        // of the call that has waited last
	ownership
	stripe // all of it, or what wide calls have of a divided object
}

// Init makes o ready for calls of a type's methods by threads of w.
func (o *Object) Init(t *Table, w *vclock.World) {
	o.setTable(t, w)
	o.pending = offheap.Ref[pending]{}
	o.changing.Store(0)
	o.dividing.Store(0)
	o.waited = 0
	fresh(&o.gen)
	o.disown()
}

// Drop forgets everything about the object, whose memory the program uses anew.
func (o *Object) Drop() {
	h := o.lockAll(nil)
	o.undivide()
	o.dropAll()
	h.unlock()
}
