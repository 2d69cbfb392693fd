// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import "github.com/commutego/commute/internal/engine/offheap"

// Locked notes that goroutine goid has taken the lock of o at a site, and holds it.
//
// If no goroutine but those that are noted has taken the lock since, nothing can be new.
func (t *Thread) Locked(o *Object, goid uint64, forReading, readable bool, site uintptr) {
	kind := uint32(0)
	if forReading {
		kind |= read
	}
	if readable {
		kind |= shared
	}
	op := operationOf(nil, kind, site)
	if op == nil {
		return
	}
	r := &t.locks[slot(o, op, 0)]
	if r.object.P() == o && r.op.P() == op && r.life == o.life.Load() &&
		r.version == o.version.Load() {
		return
	}
	o.lock.Lock()
	*r = repeat{object: offheap.To(o), op: offheap.To(op), life: o.life.Load(),
		version: o.version.Load()} // as it is before: what is new is looked at once more
	o.locked(goid, op)
	o.lock.Unlock()
}

// locked is Locked for what is new. The lock of o is held.
func (o *Object) locked(goid uint64, op *operation) {
	var at *entry
	for i := range o.n {
		e := o.at(i)
		other := e.op.P()
		if other == op {
			at = e
		}
		if other.kind&op.kind&read != 0 {
			continue
		}
		if e.goid == goid || e.keys[0] == goid {
			note(other, op, Alone)
		}
		if e.goid != goid || e.keys[0] != goid && e.keys[0] != 0 {
			note(other, op, Before)
		}
	}
	switch {
	case at == nil:
		*o.add() = entry{op: offheap.To(op), goid: goid}
	case at.goid != goid && at.keys[0] == 0:
		at.keys[0] = goid
		o.version.Add(1)
	}
}
