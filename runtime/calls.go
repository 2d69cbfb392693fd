// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
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
			fatal("the specification that was compiled into the program is not of this version of commute")
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

// Begin tells that g starts a call. Until End, but for callbacks, synchronization is the call's own (see
// releaseInside), unless it is of a type that is open.
func (g *Goroutine) Begin(c *commrace.Call) {
	c.Priv[1] = callIgnored
	if g == nil || g.carrier || g.inCall || c.Obj == nil || g.inside() {
		if g != nil && g.inCall {
			g.clock.Hold() // this may be how the call takes effect
		}
		return
	}
	t := tableOf(c.Spec)
	g.split(t)
	o := g.object(uintptr(c.Obj), t, c.CalledAt())
	o.countCall()
	c.Priv[1] = callOpen
	c.Priv[2] = uintptr(unsafe.Pointer(o))
	c.Priv[3] = uintptr(unsafe.Pointer(g))
	m := &t.Methods[c.Method]
	if m.Open || m.Role != commrace.Observer {
		g.readyEnter(o, c)
	}
	if m.Open {
		c.Priv[1] = callBare
		o.Object.BeginOpen(c, &g.clock, g)
		return
	}
	if m.Role != commrace.Observer {
		before, after := o.Object.Begin(c, &g.clock, g)
		g.advance(o, before, after)
	} else if m.Callback {
		g.check(o, c) // an observation from here on; what it has to learn, it learns as it goes
	}
	g.inCall, g.txn.InCall = true, true
	g.calls.Store(g.calls.Load() + 1)
}

// object returns the object at an address, of which a method is called at site.
func (g *Goroutine) object(addr uintptr, t *commrace.Table, site uintptr) *object {
	if o := g.last.P(); o != nil && o.addr.Load() == addr && o.Table() == t {
		return o
	}
	o := findObject(addr, t, site)
	g.last = offheap.To(o)
	return o
}

// Observe is a whole call of a method with one key at most that is an observer without callbacks,
// and whose implementation announces no synchronization.
func (g *Goroutine) Observe(spec *commrace.Spec, obj unsafe.Pointer, method, beta uint32, key uint64, args unsafe.Pointer, nargs uint32, at commrace.Place) {
	if g == nil || g.carrier || g.inCall || g.inside() {
		return
	}
	o := g.object(uintptr(obj), tableOf(spec), at.Site)
	o.countCall()
	noted, again := uint32(0), false
	if recorder.On() {
		noted = o.Noted()
	}
	if !g.txn.InTransaction() && o.Observe(method, beta, key, &g.clock, at) {
		if again = recorder.On() && o.Noted() != noted; !again {
			g.fullEnd(o.Table())
			return
		}
	}
	c := commrace.Call{Spec: spec, Obj: obj, Args: args, Method: method, Beta: beta, Nargs: nargs, State: 1}
	c.Keys[0] = key
	c.SetPlace(at)
	if again {
		g.recordAgain(o, &c)
	} else {
		g.check(o, &c)
	}
	g.fullEnd(o.Table())
}

// check checks a call that is over.
func (g *Goroutine) check(o *object, c *commrace.Call) {
	if recorder.On() {
		g.readyCall(o, c)
	}
	before, after := o.Object.End(c, &g.clock, g)
	g.advance(o, before, after)
}

// advance notes that g itself moved o from one generation to another: from that it has nothing to learn.
func (g *Goroutine) advance(o *object, before, after uint32) {
	if g.learned.P() == o && g.gen == before {
		g.gen = after
	}
}

// learn brings g up to date with the calls that c doesn't commute with. It's done before each
// callback, so it must cost little where nobody else made a call.
func (g *Goroutine) learn(o *object, c *commrace.Call) {
	if g.learned.P() != o || g.gen != o.Generation() {
		g.recordOf(c, recorder.Left)
		g.gen = o.Join(c, &g.clock)
		g.learned = offheap.To(o)
	}
}

// End tells that the call is over.
func (g *Goroutine) End(c *commrace.Call) {
	if c.Priv[1] == callBare {
		g.endOpen(c)
	}
	if c.Priv[1] != callOpen {
		return
	}
	c.Priv[1] = callOver
	g.inCall, g.txn.InCall = false, false
	g.calls.Store(g.calls.Load() + 1)
	o := *(**object)(unsafe.Pointer(&c.Priv[2]))
	m := &o.Table().Methods[c.Method]
	switch {
	case m.Role == commrace.Observer && m.Callback:
		g.learn(o, c)
		g.recordOf(c, recorder.Gone)
	case c.State == 1:
		g.check(o, c)
	default:
		g.recordOf(c, recorder.Gone)
		o.Abandon(c)
	}
	g.clock.RestoreHeld(0)
	g.fullEnd(o.Table())
	if g.hasKids.Load() != 0 {
		g.kidLock.Lock()
		g.kids.Acquire(&g.clock)
		g.kids.Clear()
		g.hasKids.Store(0)
		g.kidLock.Unlock()
	}
}

func (g *Goroutine) endOpen(c *commrace.Call) {
	o := *(**object)(unsafe.Pointer(&c.Priv[2]))
	if c.State == 1 {
		if recorder.On() {
			g.readyCall(o, c)
		}
		o.EndOpen(c, &g.clock, g)
	} else {
		g.recordOf(c, recorder.Gone)
		o.Abandon(c)
	}
}

// Leave tells that the call calls back into the program. Who learns of g meanwhile comes after the call.
// A function that was kept, and is called when the call is over or by who has nothing to do with it, is
// no callback.
func (g *Goroutine) Leave(c *commrace.Call) {
	if c.Priv[1] != callOpen || g == nil {
		return
	}
	o := *(**object)(unsafe.Pointer(&c.Priv[2]))
	if !g.makes(c) {
		if g.worksFor(c) && g.inside() {
			o.Join(c, &g.clock)
			g.away = true
		}
		return
	}
	if c.Priv[0] != 0 && c.Held() == 0 {
		g.clock.Hold()
		c.Hold(g.clock.Held())
	}
	g.clock.RestoreHeld(0)
	g.learn(o, c)
	g.fullEnd(o.Table())
	g.inCall, g.txn.InCall = false, false
}

// Resume tells that the callback is over.
func (g *Goroutine) Resume(c *commrace.Call) {
	switch {
	case c.Priv[1] != callOpen || g == nil:
	case g.makes(c):
		g.clock.RestoreHeld(c.Held())
		g.inCall, g.txn.InCall = true, true
	case g.worksFor(c):
		g.away = false
	}
}

// makes reports whether g is the goroutine that makes a call.
func (g *Goroutine) makes(c *commrace.Call) bool { return c.Priv[3] == uintptr(unsafe.Pointer(g)) }

// worksFor reports whether g was started inside of a call by the goroutine that makes c.
func (g *Goroutine) worksFor(c *commrace.Call) bool {
	return !g.outer.Nil() && c.Priv[3] == uintptr(unsafe.Pointer(g.outer.P()))
}

// Capture fills in what package commrace doesn't know of an action.
func (g *Goroutine) Capture(a *commrace.Action, args unsafe.Pointer) {
	var pcs [MaxDepth + Outermost]uintptr
	n, elided := host.Callers(pcs[:], Outermost)
	a.Stack = uintptr(unsafe.Pointer(stacks.putFrom(a.At.Site, pcs[:n], elided)))
	a.Elided = uint32(elided)
	a.Origin = uintptr(unsafe.Pointer(g.origin.P()))
	a.Goid = host.Goid()
	a.Creator = g.creator
	a.Owner = uintptr(unsafe.Pointer(g.test.P()))
	keep(a, args)
}

// Unused reports whether the call of an action that was captured stands where its result goes nowhere,
// as far as its package has told.
func (g *Goroutine) Unused(t *commrace.Table, a *commrace.Action) bool {
	return stackOf(a.Stack).unused(t, t.Methods[a.Method].Name)
}

// Race reports a race that a call of g closes.
func (g *Goroutine) Race(o *commrace.Object, r commrace.Race) {
	// The object is the first field but its address and link.
	obj := (*object)(unsafe.Add(unsafe.Pointer(o), -int(unsafe.Offsetof(object{}.Object))))
	report(&race{obj.addr.Load(), o.Table(), r})
}
