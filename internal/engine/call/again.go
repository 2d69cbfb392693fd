// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/sync"
)

// lastObject is the object of g's last call, if the one at addr, of a type, is it, and a call of it
// begins in the usual case: g is in no other call, and there are no side clocks, no trace and no
// worker. Else it is nil.
//
//bundle:inline
func lastObject(g *Caller, addr uintptr, spec *commrace.Spec) *sync.Object {
	o := g.last.P()
	if o == nil || o.Addr.Load() != addr ||
		spec.Table != uintptr(unsafe.Pointer(o.Table())) || g.TimerContext || g.InCall ||
		!g.WorksFor.Nil() || o.StdOwned() || sync.AnySides() || recorder.On() {
		return nil
	}
	return o
}

var lasts offheap.Slab[commrace.Last] // the memory that lastOf hands out

// lastOf is the record of g's last call. It gets its memory at g's first call, and keeps it when g
// becomes the caller of another goroutine.
func lastOf(g *Caller) *commrace.Last {
	l := g.repeated.P()
	if l == nil {
		l = lasts.Get()
		*l = commrace.Last{}
		g.repeated = offheap.To(l)
	}
	return l
}

// beginUsual is Begin, and true, for most calls of an object by a goroutine that has called it
// last: an observation that calls nothing back, or an owner's change. If the call may repeat g's
// last one at the same epoch, see commrace.Last, that is noted.
//
//bundle:inline
func beginUsual(g *Caller, c *commrace.Call) bool {
	o := lastObject(g, uintptr(c.Obj), c.Spec)
	if o == nil {
		return false
	}
	last := g.repeated.P()
	switch m := &o.Table().Methods[c.Method]; {
	case m.Owns:
		repeats := last != nil && last.Begins(&o.Object, c, &g.Clock)
		before, after, ok := commrace.BeginOwned(&o.Object, c, &g.Clock)
		if !ok {
			return false
		}
		advance(g, o, before, after)
		if repeats {
			g.Repeats = true
			g.RepeatOf, g.RepeatAt = offheap.To(o), after
		}
	case !m.Silent:
		return false
	case last != nil && last.Begins(&o.Object, c, &g.Clock):
		g.Repeats = true
		g.RepeatOf, g.RepeatAt = offheap.To(o), last.Generation()
	}
	counts.Call()
	noteBegun(g, o, c)
	return true
}

// noteBegun notes that c, a call of g, is under way. The method is not open.
func noteBegun(g *Caller, o *sync.Object, c *commrace.Call) {
	c.Priv[1] = callRunning
	c.Priv[2] = uintptr(unsafe.Pointer(o))
	c.Priv[3] = uintptr(unsafe.Pointer(g))
	g.InCall, g.Txn.InCall = true, true
	// CallNumber tells workers of this call from those of earlier ones.
	host.Publish32(&g.CallNumber, g.CallNumber.Load()+1)
}

// endUsual is End, and true, for a call that has returned, and whose like beginUsual begins, in the
// usual case.
//
//bundle:inline
func endUsual(g *Caller, c *commrace.Call) bool {
	if c.Priv[1] != callRunning || c.State != 1 || g.WorkersReleased.Load() != 0 ||
		sync.AnySides() || recorder.On() || instance.Transactions.Running() {
		return false
	}
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	m := &o.Table().Methods[c.Method]
	repeats := g.Repeats
	if !repeats && !m.Owns && !m.Silent {
		return false
	}
	noteOver(g, c)
	switch {
	case m.Owns && repeats && g.repeated.P().EndsOwned(&o.Object, c, &g.Clock):
	case m.Owns:
		endChanged(g, o, m, c)
	case repeats && g.repeated.P().Ends(&o.Object, c, &g.Clock):
	default:
		endObserved(g, o, c, seenHere())
	}
	g.Clock.RestoreHeld(0) // the call is over: the epoch that it held is not marked again
	return true
}

// noteOver notes that c is over. From here on synchronization is the program's again.
func noteOver(g *Caller, c *commrace.Call) {
	c.Priv[1] = callOver
	g.InCall, g.Txn.InCall, g.Repeats = false, false, false
	host.Publish32(&g.CallNumber, g.CallNumber.Load()+1)
}
