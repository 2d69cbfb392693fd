// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Called notes a call of a method of o, which goroutine goid makes at a site; clock is what the
// goroutine knew when it made the call, before it learns anything by it. Beta is the case of the
// method's specification, or more than there are where it isn't known.
//
// A call that has the same place in happens-before as an earlier one of the same operation, case
// and keys is a repeat. Whoever has come in between doesn't know the earlier one, nor does the
// goroutine know of that: so the two were noted as unordered then, by the one who came second.
func (t *Thread) Called(o *Object, clock *vclock.Thread, goid uint64, table *commrace.Table,
	method, beta uint32, keys *[commrace.Keys]uint64, site uintptr) {
	op := operationOf(table, method, site)
	if op == nil {
		return
	}
	r := &t.calls[slot(o, op, keys[0])]
	if r.object.P() == o && r.op.P() == op && r.life == o.life.Load() &&
		r.beta == uint64(beta) && r.keys == *keys && samePlace(clock, r.epoch) {
		return
	}
	o.lock.Lock()
	if epoch, again := o.called(clock, goid, op, uint64(beta), keys); again {
		*r = repeat{object: offheap.To(o), op: offheap.To(op), life: o.life.Load(), epoch: epoch,
			keys: *keys, beta: uint64(beta)}
	}
	o.lock.Unlock()
}

// samePlace reports whether an event at e, an epoch of the thread, and one now have the same place
// in happens-before, for those as well who come to know the thread's calls.
func samePlace(t *vclock.Thread, e vclock.Epoch) bool {
	return vclock.Own(t, e) && t.UnchangedSince(e) && !t.SnapshotAfter(e)
}

// called compares a call with the entries, and makes an entry of it. It returns the epoch that the
// call has; again says that there was an entry already. The lock is held.
//
// No other thread knows the epoch yet. It is before the one that package commrace gives to the
// call's touches, so who learns of the call by those knows the call. The epoch that is held is that
// of a call which may have taken effect already.
func (o *Object) called(clock *vclock.Thread, goid uint64, op *operation, beta uint64,
	keys *[commrace.Keys]uint64) (epoch vclock.Epoch, again bool) {
	table := op.table.P()
	var at *entry
	for i := range o.n {
		e := o.at(i)
		other := e.op.P()
		own := e.goid == goid
		if own && other == op && e.beta == beta && e.keys == *keys {
			at = e
		}
		switch {
		case !table.Meet(op.kind, uint32(beta), keys, other.kind, uint32(e.beta), &e.keys):
		case own:
			note(other, op, Alone)
		case clock.Knows(e.epoch):
			note(other, op, Before)
		default:
			note(other, op, Unordered)
		}
	}
	if epoch = clock.Held(); epoch == 0 {
		epoch = clock.AccessEpoch()
	}
	if again = at != nil; !again {
		at = o.add()
		*at = entry{op: offheap.To(op), goid: goid, keys: *keys, beta: beta}
	}
	at.epoch = epoch
	return epoch, again
}
