// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Object is what is known of one object of the program: the points that are active, with their
// last touches, and the calls under way. The zero Object, given its table by Init, is one that was
// never called.
type Object struct {
	pointLists
	lock  offheap.Lock
	noted uint32 // see Noted
	pendingCalls
}

// Init makes o ready for calls of a type's methods by threads of w.
func (o *Object) Init(t *Table, w *vclock.World) {
	o.setTable(t, w)
	o.pending = offheap.Ref[pending]{}
	o.gen++
}

// Generation is the object's generation.
func (o *Object) Generation() uint32 {
	o.lock.Lock()
	gen := o.gen
	o.lock.Unlock()
	return gen
}

// Drop forgets everything about the object, whose memory the program uses anew.
func (o *Object) Drop() {
	o.lock.Lock()
	o.dropAll()
	o.lock.Unlock()
}
