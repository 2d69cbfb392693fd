// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/txn"
	"github.com/commutego/commute/internal/engine/vclock"
)

var tablesLock offheap.Lock

// tableOf returns the table of an instrumented type's specification, and builds it at the first
// call.
//
//bundle:inline
func tableOf(s *commrace.Spec) *commrace.Table {
	if t := (*offheap.AtomicRef[commrace.Table])(unsafe.Pointer(&s.Table)).Load(); t != nil {
		return t
	}
	return build(s)
}

// build is tableOf for what may be the first call.
func build(s *commrace.Spec) *commrace.Table {
	p := (*offheap.AtomicRef[commrace.Table])(unsafe.Pointer(&s.Table))
	tablesLock.Lock()
	t := p.Load()
	if t == nil {
		var ok bool
		if t, ok = commrace.Build(s.Of); !ok {
			output.Fatal("the specification that was compiled into the program " +
				"is not of this version of commute")
		}
		p.Store(t)
	}
	tablesLock.Unlock()
	return t
}

// The values of Call.Priv[1]: what Begin made of the call.
const (
	callIgnored = iota // in another call, or of a goroutine that is not watched
	callRunning        // under way: synchronization is the call's own
	callOpen           // under way, and of an open type: synchronization is the program's
	callOver           // ended
)

// A Caller is a goroutine's part in calls of specified methods.
type Caller struct {
	txn.Transactor
	last       offheap.Ref[sync.Object]   // the object of its last call, and mostly of the next
	joined     offheap.Ref[sync.Object]   // the object that it was last brought up to date with
	generation uint32                     // the object's generation then
	repeated   offheap.Ref[commrace.Last] // the call that it has made last; see lastOf
	touch      offheap.Ref[handedTouch]   // the one that is being handed on; nil before the first
}

// Reset makes g the caller of a new goroutine.
func (g *Caller) Reset() {
	g.Transactor.Reset()
	g.last, g.joined = offheap.Ref[sync.Object]{}, offheap.Ref[sync.Object]{}
	if l := g.repeated.P(); l != nil {
		*l = commrace.Last{}
	}
}

// Ignore has a call count for nothing.
func Ignore(c *commrace.Call) { c.Priv[1] = callIgnored }

// order orders g's call of an object with the others of the object in the clocks by which calls are
// not compared. Each call begins and ends with it, so it is inlined.
func (g *Caller) order(obj uintptr) {
	if sync.OrdersCalls() {
		orderCall(g, obj)
	}
}

// orderCall is order where there are such clocks. In a trace, calls of an object have the order in
// which they were ordered, so a lock is held until the call has its number.
func orderCall(g *Caller, obj uintptr) {
	if !sync.WeakClocks() || !recorder.On() {
		g.OrderWeak(obj)
		return
	}
	l := &orderLocks[obj>>4%uintptr(len(orderLocks))]
	l.Lock()
	g.OrderWeak(obj)
	g.RecordOrder(obj)
	l.Unlock()
}

// Calls of an object are ordered under one of orderLocks while a trace is recorded.
var orderLocks [64]offheap.Lock

// Begin notes that g starts a call. Until End, but for callbacks, synchronization is the call's
// own, unless the type is open. A call in another call is part of that one.
func (g *Caller) Begin(c *commrace.Call) {
	if !beginUsual(g, c) {
		beginAny(g, c)
	}
}

// beginAny is Begin for any call.
func beginAny(g *Caller, c *commrace.Call) {
	c.Priv[1] = callIgnored
	if g.TimerContext || g.InCall || c.Obj == nil || g.InWorkedCall() {
		if g.InCall {
			g.Clock.Hold() // the outer call may take effect by this one
		}
		return
	}
	t := tableOf(c.Spec)
	sync.RequireMemoryClock(t)
	g.order(uintptr(c.Obj))
	o := g.countedObject(uintptr(c.Obj), t, c.CalledAt())
	m := &t.Methods[c.Method]
	if recorder.On() && (m.Open || m.Role != commrace.Observer) {
		g.ReadyEnter(o, c)
	}
	// A call of an open type hides nothing: all synchronization during it orders the program.
	if m.Open {
		c.Priv[1] = callOpen
		c.Priv[2] = uintptr(unsafe.Pointer(o))
		c.Priv[3] = uintptr(unsafe.Pointer(g))
		o.Object.BeginOpen(c, &g.Clock, g)
		return
	}
	// A mutator may take effect at any time from now on. An observer without callbacks takes
	// effect at its end, for the check.
	if m.Role != commrace.Observer {
		before, after, ok := uint32(0), uint32(0), false
		if m.Owns && !recorder.On() {
			before, after, ok = commrace.BeginOwned(&o.Object, c, &g.Clock)
		}
		if !ok {
			before, after = o.Object.Begin(c, &g.Clock, g)
		}
		advance(g, o, before, after)
	} else if m.Callback {
		g.check(o, c, false) // an observation from here on; callbacks join first
	}
	noteBegun(g, o, c)
}

// countedObject returns the object at an address, of which a method is called at site, and counts
// the call.
//
//bundle:inline
func (g *Caller) countedObject(addr uintptr, t *commrace.Table, site uintptr) *sync.Object {
	o := g.last.P()
	if o == nil || o.Addr.Load() != addr || o.Table() != t {
		o = sync.FindObject(addr, t, site)
		g.last = offheap.To(o)
	}
	if o.StdOwned() {
		if counts.CalledByStd(site) {
			return o
		}
		o.NotStdOwned()
	}
	counts.Call()
	return o
}

// learns is Observe for an object that only the standard library calls, where it can be. No report
// tells of such a call, so it has to leave no trace.
func learns(g *Caller, o *sync.Object, method, beta uint32, key uint64) bool {
	return !recorder.On() && !instance.Transactions.Running() && !instance.Predictor.Busy() &&
		seenHere().Learn(&o.Object, method, beta, key, &g.Clock)
}

// Observe is a whole call of a method with one key at most. The method is an observer without
// callbacks, whose implementation announces no synchronization.
func (g *Caller) Observe(spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32, key uint64,
	args unsafe.Pointer, nargs uint32, at commrace.Place) {
	// Most observations are of the object that was called last, and repeat one that is remembered.
	o := lastObject(g, uintptr(obj), spec)
	if o != nil && !g.Txn.InTransaction() {
		sn := seenHere()
		if sn != nil && sn.Again(&o.Object, method, beta, key, args, nargs, at, &g.Clock, g) !=
			commrace.Other {
			counts.Call()
			return
		}
	}
	observeAny(g, spec, obj, method, beta, key, args, nargs, at)
}

// observeAny is Observe for any call.
func observeAny(g *Caller, spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32,
	key uint64, args unsafe.Pointer, nargs uint32, at commrace.Place) {
	if g.TimerContext || g.InCall || g.InWorkedCall() {
		return
	}
	orders := sync.OrdersCalls()
	if orders {
		orderCall(g, uintptr(obj))
	}
	o := g.countedObject(uintptr(obj), tableOf(spec), at.Site)
	if o.StdOwned() && learns(g, o, method, beta, key) {
		g.JoinCallClock(o.Table())
		return
	}
	if orders {
		coverObserved(g, o, method, beta, key, at)
	}
	how, locked := commrace.Repeated(commrace.Other), (*commrace.Locked)(nil)
	// In a transaction each observation may be an edge.
	var sn *commrace.Seen
	if !g.Txn.InTransaction() {
		if sn = seenHere(); sn != nil && !recorder.On() {
			how = sn.Again(&o.Object, method, beta, key, args, nargs, at, &g.Clock, g)
		}
		if how == commrace.Other {
			how, locked = o.Observe(sn, method, beta, key, &g.Clock, at)
		}
	}
	if how == commrace.Other || recorder.On() {
		c := commrace.Call{Spec: spec, Obj: obj, Args: args, Method: method, Beta: beta,
			Nargs: nargs, State: 1}
		c.Keys[0] = key
		c.SetPlace(at)
		observed(g, o, sn, &c, how, locked)
	}
	g.JoinCallClock(o.Table())
}

// observed is the rest of Observe for a call that repeats no other, or may be recorded. A trace has
// those that a prediction has to know, as what they see may depend on another call.
func observed(
	g *Caller, o *sync.Object, sn *commrace.Seen, c *commrace.Call, how commrace.Repeated,
	locked *commrace.Locked,
) {
	switch {
	case how == commrace.Noted, how == commrace.Again && instance.Predictor.Busy():
		g.RecordAgain(o, c)
	case how == commrace.Again:
	case locked == nil:
		g.check(o, c, false) // as if Begin and End came at once
	case recorder.On(): // to ready a call may take long
		o.Release(locked)
		g.check(o, c, true)
	default:
		o.EndObserved(locked, sn, c, &g.Clock, g)
	}
}

// check compares a call that is over with earlier ones, and records it. Other is set for an
// observation that is known to repeat no other.
func (g *Caller) check(o *sync.Object, c *commrace.Call, other bool) {
	if sync.Covers() {
		cover(g, o, c)
	}
	if recorder.On() {
		g.ReadyCall(o, c)
	}
	var before, after uint32
	if other {
		before, after = o.Object.EndOther(c, &g.Clock, g)
	} else {
		before, after = seenHere().End(&o.Object, c, &g.Clock, g)
	}
	advance(g, o, before, after)
}

// advance notes that g itself moved o from one generation to the next: it stays up to date. If
// others have moved it as well, g isn't.
func advance(g *Caller, o *sync.Object, before, after uint32) {
	if g.joined.P() == o && g.generation == before && after-before <= 2 {
		g.generation = after
	}
}

// join brings g up to date with the calls that c doesn't commute with. It must cost little where no
// other goroutine made a call.
func (g *Caller) join(o *sync.Object, c *commrace.Call) {
	if g.joined.P() != o || g.generation != o.Generation() {
		g.generation = o.Join(c, &g.Clock, g)
		g.joined = offheap.To(o)
	}
}

// End notes that the call is over. A call that did not return normally is abandoned: it may or may
// not have taken effect.
func (g *Caller) End(c *commrace.Call) {
	if !endUsual(g, c) {
		endAny(g, c)
	}
}

// endAny is End for any call.
func endAny(g *Caller, c *commrace.Call) {
	if c.Priv[1] == callOpen {
		g.endOpen(c)
	}
	if c.Priv[1] != callRunning {
		return
	}
	g.order(uintptr(c.Obj))
	noteOver(g, c)
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	m := &o.Table().Methods[c.Method]
	// An observer with callbacks was checked at its begin. What it may have seen since then it
	// has to learn now.
	switch {
	case m.Role == commrace.Observer && m.Callback:
		g.join(o, c)
		g.Abandons()
	case c.State == 1 && m.Role == commrace.Observer:
		endObservation(g, o, c)
	case c.State == 1:
		endChange(g, o, c)
	default:
		o.Abandon(c, g)
	}
	// The call is over: the epoch that it held is not marked again.
	g.Clock.RestoreHeld(0)
	g.JoinCallClock(o.Table())
	// The call may have waited for its workers.
	if g.WorkersReleased.Load() != 0 {
		sync.AcquireWorkers(&g.Thread)
	}
}

// endOpen is End for a call of an open type.
func (g *Caller) endOpen(c *commrace.Call) {
	g.order(uintptr(c.Obj))
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	if c.State == 1 {
		if sync.Covers() {
			cover(g, o, c)
		}
		if recorder.On() {
			g.ReadyCall(o, c)
		}
		o.EndOpen(c, &g.Clock, g)
	} else {
		o.Abandon(c, g)
	}
}

// Begins records that a call begins.
func (g *Caller) Begins() {
	if recorder.On() {
		g.RecordBegins()
	}
}

// Ends records the call that is being checked, and returns g's epoch.
func (g *Caller) Ends() vclock.Epoch {
	g.Txn.Acted = true
	if recorder.On() {
		g.RecordEnds()
	}
	return g.Epoch()
}

// Joins records that g's call is about to join others.
func (g *Caller) Joins() {
	if recorder.On() {
		g.RecordOf(recorder.Left)
	}
}

// Leaves records that g's call is about to call back, and joins none.
func (g *Caller) Leaves() {
	if recorder.On() {
		g.RecordOf(recorder.Out)
	}
}

// Resumes records that g's call is back from a callback.
func (g *Caller) Resumes() {
	if recorder.On() {
		g.RecordOf(recorder.Back)
	}
}

// Abandons records that g's call is over, and that nothing is known of it.
func (g *Caller) Abandons() {
	if recorder.On() {
		g.RecordOf(recorder.Gone)
	}
}
