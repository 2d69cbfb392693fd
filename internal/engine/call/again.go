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

// beginAgain is Begin, and true, for an observation that may repeat g's last one at the same epoch,
// see commrace.Last. It is for the usual case: no side clocks, no trace, no worker.
func beginAgain(g *Caller, c *commrace.Call) bool {
	o := g.last.P()
	if o == nil || !g.repeated.Begins(&o.Object, c, &g.Clock) || g.InCall || g.TimerContext ||
		!g.WorksFor.Nil() || o.Addr.Load() != uintptr(c.Obj) || o.StdOwned() ||
		c.Spec.Table != uintptr(unsafe.Pointer(o.Table())) || sync.AnySides() || recorder.On() {
		return false
	}
	counts.Call()
	c.Priv[1] = callRunning
	c.Priv[2] = uintptr(unsafe.Pointer(o))
	c.Priv[3] = uintptr(unsafe.Pointer(g))
	g.InCall, g.Txn.InCall, g.Repeats = true, true, true
	g.RepeatOf, g.RepeatAt = offheap.To(o), g.repeated.Generation()
	host.Publish32(&g.CallNumber, g.CallNumber.Load()+1)
	return true
}

// endRepeated is End, and true, for a call that beginAgain has begun, if it repeats the last one.
// If not, it counts as any other, at the epoch that is held.
func endRepeated(g *Caller, c *commrace.Call) bool {
	g.Repeats = false
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	if c.State != 1 || g.WorkersReleased.Load() != 0 || sync.AnySides() || recorder.On() ||
		instance.Transactions.Running() || !g.repeated.Ends(&o.Object, c, &g.Clock) {
		return false
	}
	c.Priv[1] = callOver
	g.InCall, g.Txn.InCall = false, false
	host.Publish32(&g.CallNumber, g.CallNumber.Load()+1)
	g.Clock.RestoreHeld(0)
	return true
}
