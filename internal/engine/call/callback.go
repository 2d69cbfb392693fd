// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/sync"
)

// Calls that call back into the program.

// Leave notes that the call calls back into the program. A goroutine that learns from g during the
// callback comes after the call. A function that the call has kept may be called later, or by a
// goroutine that has no part in the call. Then it is no callback.
func (g *Caller) Leave(c *commrace.Call) {
	if c.Priv[1] != callRunning || LeavesAgain(g, c) {
		return
	}
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	// A worker may call back in the name of the goroutine that makes the call.
	if !makes(g, c) {
		if worksOn(g, c) && g.InWorkedCall() {
			o.Join(c, &g.Clock, nil)
			g.InCallback = true
		}
		return
	}
	g.generation = o.Leave(c, &g.Clock, g.joined.P() == o, g.generation, g)
	g.joined = offheap.To(o)
	g.JoinCallClock(o.Table())
	g.InCall, g.Txn.InCall = false, false
}

// Resume notes that the callback is over.
func (g *Caller) Resume(c *commrace.Call) {
	switch {
	case c.Priv[1] != callRunning || ResumesAgain(g, c):
	case makes(g, c):
		o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
		o.Resume(c, &g.Clock, g)
		g.InCall, g.Txn.InCall = true, true
	case worksOn(g, c):
		g.InCallback = false
	}
}

// LeavesAgain is Leave for an observation of g that has no more to learn than when it called back
// last, as most callbacks of many: since then no call that may change the object has begun. Nobody
// joins an observation while it is under way. So there is nothing to do but to end its hold. A
// change that it has seen was counted before, and the object's lock need not be taken. If the
// result is false, nothing has changed.
//
// Each condition has a branch of its own: the compiler makes less of them than of one for all.
//
//bundle:inline
func LeavesAgain(g *Caller, c *commrace.Call) bool {
	if c.Priv[1] != callRunning || !makes(g, c) || c.Priv[0] != 0 {
		return false
	}
	if sync.MemoryClocks() {
		return false
	}
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	if g.joined.P() != o {
		return false
	}
	if g.generation != o.Generation() {
		return false
	}
	g.Clock.RestoreHeld(0)
	g.InCall, g.Txn.InCall = false, false
	return true
}

// ResumesAgain is Resume for an observation of g, which held nothing before the callback. If it is
// false, nothing has changed.
//
//bundle:inline
func ResumesAgain(g *Caller, c *commrace.Call) bool {
	if c.Priv[1] != callRunning || c.Priv[0] != 0 || !makes(g, c) {
		return false
	}
	g.Clock.RestoreHeld(0)
	g.InCall, g.Txn.InCall = true, true
	return true
}

// makes reports whether g is the goroutine that makes a call.
func makes(g *Caller, c *commrace.Call) bool { return c.Priv[3] == uintptr(unsafe.Pointer(g)) }

// worksOn reports whether g is a worker of the call c.
func worksOn(g *Caller, c *commrace.Call) bool {
	return !g.WorksFor.Nil() && c.Priv[3] == uintptr(unsafe.Pointer(g.WorksFor.P()))
}
