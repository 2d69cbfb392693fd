// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Cells is the number of keys that the object has touches of.
func (o *Object) Cells() int {
	n := int(o.used)
	if d := o.divided.Load(); d != nil {
		for i := range d {
			n += int(d[i].used)
		}
	}
	return n
}

// Pending is the number of calls that are under way.
func (o *Object) Pending() (n int) {
	h := held{o, &o.stripe}
	for i := range h.pendingParts() {
		for p := h.pendingPart(i).pending.P(); p != nil; p = p.next.P() {
			n++
		}
	}
	return n
}

// Divide divides the object, if it isn't.
func (o *Object) Divide() {
	o.lock.Lock()
	if o.divided.Load() != nil {
		o.lock.Unlock()
		return
	}
	o.divide(0).lock.Unlock()
}

// IsOwner reports whether t owns the object, or is about to.
func IsOwner(o *Object, t *vclock.Thread) bool { return o.owned(t) }

// Waits is a call that finds the lock taken, which is free by then.
func (o *Object) Waits(c *Call) { o.waitFor(&o.Table().Methods[c.Method], &c.Keys, nil).unlock() }

// Divided reports whether the object was divided.
func (o *Object) Divided() bool { return o.divided.Load() != nil }

// Narrow is the names of the methods that lock the stripe of their key only.
func (t *Table) Narrow() (names []string) {
	for i := range t.methods {
		if t.Methods[i].narrow {
			names = append(names, t.Methods[i].Name)
		}
	}
	return names
}

// SamePart reports whether the keys of two calls are in one part of an object that is divided.
func SamePart(a, b *Call) bool {
	var d stripes
	return d.of(a.Keys[0]) == d.of(b.Keys[0])
}

// BeginDivision leaves the object as it is while it is being divided.
func BeginDivision(o *Object) { o.dividing.Store(1) }

// RemembersChange reports whether a call that changes something is remembered, with what it has
// touched of its key.
func (sn *Seen) RemembersChange(o *Object, c *Call, t *vclock.Thread) bool {
	return sn.change(o, c, t) != nil
}

// Stands reports whether the touch that was noted stands for a call.
func (sn *Seen) Stands(o *Object, c *Call, t *vclock.Thread) bool {
	for i := range sn.observed {
		for k, tag := range sn.observed[i].tag {
			if tag != 0 {
				what := whatOf(o, c.Method, c.Beta, c.Keys[0], c.Place())
				_, ok := sn.observed[i].touch[k].P().standsFor(what, t)
				return ok
			}
		}
	}
	return false
}

// Ended is the generation at which the last call has ended that an action stands for.
func (a *Action) Ended() uint32 { return a.ended }

// ValueUnknown reports whether the last call that an action stands for may have returned something
// else.
func (a *Action) ValueUnknown() bool { return a.valueUnknown }

// Busy makes the touch of an observation that is remembered busy, until the result is called.
func (sn *Seen) Busy(o *Object, c *Observation, t *vclock.Thread) (settle func()) {
	e, epoch := sn.find(o, c.Method, c.Beta, c.Key, c.At, t)
	e.epoch.Store(uint64(busy))
	return func() { e.set(epoch) }
}

// NoteThread has t be noted as the owner's thread, as if it had had the owner's slot before.
func NoteThread(o *Object, t *vclock.Thread) { o.thread = offheap.To(t) }

// CallThread is the thread of the owner's call that is under way, which gets a record.
func CallThread(o *Object) *vclock.Thread {
	o.lock.Lock()
	defer o.lock.Unlock()
	settle(o, nil)
	return o.pending.P().thread.P()
}

// Handed is how often the object was handed over.
func Handed(o *Object) int { return int(o.handed) }

// An Observation is a whole call of a method with one key that changed nothing and called nothing
// back. The fields are those of [Call].
type Observation struct {
	Key                 uint64
	At                  Place
	Args                unsafe.Pointer
	Method, Beta, Nargs uint32
}

// AgainAs is Again for an observation.
func (sn *Seen) AgainAs(o *Object, c *Observation, t *vclock.Thread, s Sink) Repeated {
	return sn.Again(o, c.Method, c.Beta, c.Key, c.Args, c.Nargs, c.At, t, s)
}
