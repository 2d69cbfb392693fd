// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/txn"
)

var tablesLock offheap.Lock

// tableOf reads the specification of an instrumented type at its first call.
func tableOf(s *commrace.Spec) *commrace.Table {
	p := (*offheap.AtomicRef[commrace.Table])(unsafe.Pointer(&s.Table))
	if t := p.Load(); t != nil {
		return t
	}
	tablesLock.Lock()
	t := p.Load()
	if t == nil {
		var ok bool
		if t, ok = commrace.Build(s.Of); !ok {
			output.Fatal("the specification that was compiled into the program is not of this version of commute")
		}
		p.Store(t)
	}
	tablesLock.Unlock()
	return t
}

// Values of Call.Priv[1]: what Begin made of the call.
const (
	callIgnored = iota // inside another call, on its goroutine or one that it started, or by one that is not watched
	callOpen
	callBare // under way like an open one, but hiding nothing
	callOver
)

// Caller is a goroutine's part in calls of specified methods.
type Caller struct {
	txn.Transactor
	last    offheap.Ref[sync.Object] // the object of its last call, most often that of the next
	learned offheap.Ref[sync.Object] // what calls that call back have learned of, and up to which
	gen     uint32                   // generation
}

func (g *Caller) Reset() {
	g.Transactor.Reset()
	g.last, g.learned = offheap.Ref[sync.Object]{}, offheap.Ref[sync.Object]{}
}

// Ignore has a call count for nothing.
func Ignore(c *commrace.Call) { c.Priv[1] = callIgnored }

// Begin tells that g starts a call. Until End, but for callbacks, synchronization is the call's own (see
// releaseInside), unless it is of a type that is open.
func (g *Caller) Begin(c *commrace.Call) {
	c.Priv[1] = callIgnored
	if g.TimerContext || g.InCall || c.Obj == nil || g.InWorkedCall() {
		if g.InCall {
			g.Clock.Hold() // this may be how the call takes effect
		}
		return
	}
	t := tableOf(c.Spec)
	g.RequireMemoryClock(t)
	o := g.counted(uintptr(c.Obj), t, c.CalledAt())
	c.Priv[1] = callOpen
	c.Priv[2] = uintptr(unsafe.Pointer(o))
	c.Priv[3] = uintptr(unsafe.Pointer(g))
	m := &t.Methods[c.Method]
	if m.Open {
		c.Priv[1] = callBare
		o.Object.BeginOpen(c, &g.Clock)
		return
	}
	if m.Role != commrace.Observer {
		before, after := o.Object.Begin(c, &g.Clock)
		g.advance(o, before, after)
	} else if m.Callback {
		g.check(o, c) // an observation from here on; what it has to learn, it learns as it goes
	}
	g.InCall, g.Txn.InCall = true, true
	g.CallNumber.Store(g.CallNumber.Load() + 1)
}

// object returns the object at an address, of which a method is called at site.
func (g *Caller) object(addr uintptr, t *commrace.Table, site uintptr) *sync.Object {
	if o := g.last.P(); o != nil && o.Addr.Load() == addr && o.Table() == t {
		return o
	}
	o := sync.FindObject(addr, t, site)
	g.last = offheap.To(o)
	return o
}

// counted returns the object of a call that begins, and counts the call.
func (g *Caller) counted(addr uintptr, t *commrace.Table, site uintptr) *sync.Object {
	o := g.object(addr, t, site)
	if !o.StdOwned {
		counts.Call()
	}
	return o
}

// Observe is a whole call of a method with one key at most that is an observer without callbacks,
// and whose implementation announces no synchronization.
func (g *Caller) Observe(spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32, key uint64, args unsafe.Pointer, nargs uint32, at commrace.Place) {
	if g.TimerContext || g.InCall || g.InWorkedCall() {
		return
	}
	o := g.counted(uintptr(obj), tableOf(spec), at.Site)
	if !g.Txn.InTransaction() && o.Observe(method, beta, key, &g.Clock, at) {
		g.JoinCallClock(o.Table())
		return
	}
	c := commrace.Call{Spec: spec, Obj: obj, Args: args, Method: method, Beta: beta, Nargs: nargs, State: 1}
	c.Keys[0] = key
	c.SetPlace(at)
	g.check(o, &c)
	g.JoinCallClock(o.Table())
}

// check checks a call that is over.
func (g *Caller) check(o *sync.Object, c *commrace.Call) {
	before, after := o.Object.End(c, &g.Clock, g)
	g.advance(o, before, after)
	if recorder.On() {
		g.RecordCall(o, c)
	}
}

// advance notes that g itself moved o from one generation to another: from that it has nothing to learn.
func (g *Caller) advance(o *sync.Object, before, after uint32) {
	if g.learned.P() == o && g.gen == before {
		g.gen = after
	}
}

// learn brings g up to date with the calls that c doesn't commute with. It's done before each
// callback, so it must cost little where nobody else made a call.
func (g *Caller) learn(o *sync.Object, c *commrace.Call) {
	if g.learned.P() != o || g.gen != o.Generation() {
		g.gen = o.Join(c, &g.Clock)
		g.learned = offheap.To(o)
	}
}

// End tells that the call is over.
func (g *Caller) End(c *commrace.Call) {
	if c.Priv[1] == callBare {
		g.endOpen(c)
	}
	if c.Priv[1] != callOpen {
		return
	}
	c.Priv[1] = callOver
	g.InCall, g.Txn.InCall = false, false
	g.CallNumber.Store(g.CallNumber.Load() + 1)
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	m := &o.Table().Methods[c.Method]
	switch {
	case m.Role == commrace.Observer && m.Callback:
		g.learn(o, c)
	case c.State == 1:
		g.check(o, c)
	default:
		o.Abandon(c)
	}
	g.Clock.RestoreHeld(0)
	g.JoinCallClock(o.Table())
	if g.WorkersReleased.Load() != 0 {
		g.WorkerLock.Lock()
		g.WorkerClock.Acquire(&g.Clock)
		g.WorkerClock.Clear()
		g.WorkersReleased.Store(0)
		g.WorkerLock.Unlock()
	}
}

func (g *Caller) endOpen(c *commrace.Call) {
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	if c.State == 1 {
		o.EndOpen(c, &g.Clock, g)
		if recorder.On() {
			g.RecordCall(o, c)
		}
	} else {
		o.Abandon(c)
	}
}

// Leave tells that the call calls back into the program. Who learns of g meanwhile comes after the call.
// A function that was kept, and is called when the call is over or by who has nothing to do with it, is
// no callback.
func (g *Caller) Leave(c *commrace.Call) {
	if c.Priv[1] != callOpen {
		return
	}
	o := *(**sync.Object)(unsafe.Pointer(&c.Priv[2]))
	if !g.makes(c) {
		if g.worksFor(c) && g.InWorkedCall() {
			o.Join(c, &g.Clock)
			g.InCallback = true
		}
		return
	}
	if c.Priv[0] != 0 && c.Held() == 0 {
		g.Clock.Hold()
		c.Hold(g.Clock.Held())
	}
	g.Clock.RestoreHeld(0)
	g.learn(o, c)
	g.JoinCallClock(o.Table())
	g.InCall, g.Txn.InCall = false, false
}

// Resume tells that the callback is over.
func (g *Caller) Resume(c *commrace.Call) {
	switch {
	case c.Priv[1] != callOpen:
	case g.makes(c):
		g.Clock.RestoreHeld(c.Held())
		g.InCall, g.Txn.InCall = true, true
	case g.worksFor(c):
		g.InCallback = false
	}
}

// makes reports whether g is the goroutine that makes a call.
func (g *Caller) makes(c *commrace.Call) bool { return c.Priv[3] == uintptr(unsafe.Pointer(g)) }

// worksFor reports whether g was started inside of a call by the goroutine that makes c.
func (g *Caller) worksFor(c *commrace.Call) bool {
	return !g.WorksFor.Nil() && c.Priv[3] == uintptr(unsafe.Pointer(g.WorksFor.P()))
}

// Capture fills in what package commrace doesn't know of an action.
func (g *Caller) Capture(a *commrace.Action, args unsafe.Pointer) {
	var pcs [stack.MaxDepth + stack.Outermost]uintptr
	n, elided := host.Callers(pcs[:], stack.Outermost)
	a.Stack = uintptr(unsafe.Pointer(stack.All.PutFrom(a.At.Site, pcs[:n], elided)))
	a.Elided = uint32(elided)
	a.Origin = uintptr(unsafe.Pointer(g.Origin.P()))
	a.Goid = host.Goid()
	a.Creator = g.Creator
	a.Owner = uintptr(unsafe.Pointer(g.Test.P()))
	text.Keep(a, args)
}

// Unused reports whether the call of an action that was captured stands where its result goes nowhere,
// as far as its package has told.
func (g *Caller) Unused(t *commrace.Table, a *commrace.Action) bool {
	return stack.StackOf(a.Stack).Unused(t, t.Methods[a.Method].Name)
}

// Race reports a race that a call of g closes.
func (g *Caller) Race(o *commrace.Object, r commrace.Race) {
	// The object is the first field but its address and link.
	obj := (*sync.Object)(unsafe.Add(unsafe.Pointer(o), -int(unsafe.Offsetof(sync.Object{}.Object))))
	finding.Race(&report.Race{Addr: obj.Addr.Load(), Table: o.Table(), Race: r})
}
