// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/compiled"

	"github.com/commutego/commute/internal/engine/text"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
)

// A call is recorded in two steps. Its definitions and values come first, which may take some time
// (ReadyCall). The call itself and its touches come when it is checked, while its object is locked:
// so a trace has the calls of an object in the order in which they were checked. Of observations
// that repeat another of the goroutine's, most are not recorded: see [commrace.Repeated].

// A recordedCall is what the first step leaves for the second.
type recordedCall struct {
	of   offheap.Ref[numbering] // nil if nothing is to be recorded
	addr uint64
	pos  uint32
	call commrace.Call // the method, the case of its results and the keys
}

// ReadyEnter defines what the beginning of a call on o refers to.
func (g *Recorded) ReadyEnter(o *sync.Object, c *commrace.Call) {
	notCalling(g)
	if g.InTrace.Number == 0 {
		return
	}
	g.recordHidden()
	first := specification(o.Table())
	addr := uint64(o.Addr.Load())
	if o.InTrace.Load() == 0 {
		defineObject(o, addr)
	}
	nextCall(g).is(first, addr, 0, c)
}

var recordedCalls offheap.Slab[recordedCall]

// nextCall is where g's next call is told of.
func nextCall(g *Recorded) *recordedCall {
	if g.calling.Nil() {
		g.calling = offheap.To(recordedCalls.Get())
	}
	return g.calling.P()
}

// notCalling notes that nothing is to be recorded of g's next call.
func notCalling(g *Recorded) {
	if r := g.calling.P(); r != nil {
		r.of = offheap.Ref[numbering]{}
	}
}

// dropCall gives up what is told of a call.
func dropCall(g *Recorded) {
	if r := g.calling.P(); r != nil {
		recordedCalls.Put(r)
		g.calling = offheap.Ref[recordedCall]{}
	}
}

// is takes what there is to know of a call when it is recorded.
func (r *recordedCall) is(first *numbering, addr uint64, pos uint32, c *commrace.Call) {
	r.of, r.addr, r.pos = offheap.To(first), addr, pos
	r.call.Method, r.call.Beta, r.call.Keys = c.Method, c.Beta, c.Keys
}

// RecordBegins records that the call begins that ReadyEnter was told of, if any.
func (g *Recorded) RecordBegins() {
	r := g.calling.P()
	if r == nil || r.of.Nil() {
		return
	}
	first, c := r.of.P(), &r.call
	r.of = offheap.Ref[numbering]{}
	for i := 1; i < first.table.Methods[c.Method].Keys(); i++ {
		recorder.Value(&g.InTrace, 0, recorder.KeyOf+uint32(i), c.Keys[i])
	}
	recorder.Enter(&g.InTrace, 0, r.addr, first.method+c.Method, c.Keys[0])
}

// ReadyCall defines what a call that is over refers to, and records its values.
func (g *Recorded) ReadyCall(o *sync.Object, c *commrace.Call) {
	notCalling(g)
	if g.InTrace.Number == 0 {
		return
	}
	g.recordHidden()
	t := o.Table()
	first := specification(t)
	addr := uint64(o.Addr.Load())
	if o.InTrace.Load() == 0 {
		defineObject(o, addr)
	}
	if first.called.Load()>>c.Method&1 == 0 {
		first.defineMethod(c.Method)
	}
	var pcs [stack.MaxDepth]uintptr
	n, _ := host.Callers(pcs[:], 0)
	s := first.callers(c.CalledAt(), pcs[:n])
	pos := Position(s)
	site := uint64(pos)<<32 | uint64(first.method+c.Method) + 1
	if _, defined := recorded.callSites.Get(site); !defined {
		defineCallSite(o, pos, first, c.Method, s)
		recorded.callSites.Put(site, 1)
	}
	for i := range t.Touches(c) {
		_, key, keyed := t.Touch(c, i)
		if at := keyPlace(key); keyed && at.Load() != key|1 {
			defineKey(c, key, t.KeyArg(c, i))
			at.Store(key | 1)
		}
	}
	g.recordValues(first, c, pos)
	nextCall(g).is(first, addr, pos, c)
}

// RecordEnds records the call that ReadyCall was told of, if any, and the points that it touches.
func (g *Recorded) RecordEnds() {
	r := g.calling.P()
	if r == nil || r.of.Nil() {
		return
	}
	first := r.of.P()
	r.of = offheap.Ref[numbering]{}
	t, c := first.table, &r.call
	n := t.Touches(c)
	recorder.Call(&g.InTrace, r.pos, r.addr, first.method+c.Method, uint32(n))
	for i := range n {
		point, key, keyed := t.Touch(c, i)
		recorder.Touch(&g.InTrace, r.pos, r.addr, first.point+uint32(point), key, keyed)
	}
}

// RecordOf records what happens to a call of g's that is under way.
func (g *Recorded) RecordOf(what uint32) {
	if g.InTrace.Number != 0 {
		recorder.Progress(&g.InTrace, what, 0)
	}
}

// RecordAgain records an observation that repeats another, of which something was noted.
func (g *Recorded) RecordAgain(o *sync.Object, c *commrace.Call) {
	g.ReadyCall(o, c)
	g.RecordEnds()
}

// recordValues records what decides whether a call commutes with others, beside the points that it
// touches: the values that semantic exceptions compare. Where calls decide about others, it records
// all values of the call, and which activation of a function makes it.
func (g *Recorded) recordValues(first *numbering, c *commrace.Call, pos uint32) {
	compared := first.table.Methods[c.Method].Compared()
	acts := first.acts.Load() != 0
	if acts {
		recorder.Value(&g.InTrace, pos, recorder.Frame, uint64(c.CalledIn()))
	}
	for i := uint32(0); acts || compared>>i != 0; i++ {
		if !acts && compared>>i&1 == 0 {
			continue
		}
		a, ok := c.Arg(int(i))
		if !ok {
			return
		}
		kind := uint8(0)
		if a.Type != nil {
			kind = host.Kind(a.Type)
		}
		if kind == text.KindBool {
			recorder.Value(&g.InTrace, pos, recorder.TrueOf+i, uint64(a.Bytes()[0]))
			continue
		}
		if kind == text.KindStruct || kind == text.KindArray {
			text.KeepCompound(&a, commrace.Value(c.Args, int(i)))
		}
		recorder.Value(&g.InTrace, pos, recorder.KeptOf+i, keptHash(&a))
		if compared>>i&1 != 0 && !isWhole(&a, kind) {
			recorder.Value(&g.InTrace, pos, recorder.HashOf+i, c.ArgHash(int(i))>>8)
		}
		a.Drop()
	}
}

// isWhole reports whether two values of a kind are equal if what is kept of them is.
func isWhole(a *commrace.Arg, kind uint8) bool {
	switch kind {
	case text.KindChan, text.KindFunc, text.KindMap, text.KindPointer, text.KindUnsafe:
		return true
	case text.KindString:
		return int(a.Len) <= len(a.Bytes())
	}
	return kind < text.KindFloat32
}

// keptHash is a hash of a value, as far as it is kept. Its lowest bit says that the value is zero;
// it has 56 bits, which take 8 bytes in a trace.
func keptHash(a *commrace.Arg) uint64 {
	h := (uint64(uintptr(a.Type)) ^ uint64(a.Len)<<48) * 0x9E3779B97F4A7C15
	for _, c := range a.Bytes() {
		h = (h ^ uint64(c)) * 0x100000001B3
		h ^= h >> 29
	}
	h = h >> 8 &^ 1
	if a.Type == nil || text.IsZero(a) {
		h |= 1
	}
	return h
}

// Each of these is defined before it is noted that it is. A goroutine that finds the note goes on
// to a step, which may be in the file before all later definitions. Two goroutines may define the
// same call site or key.

// keyPlace is where it is noted that a key is defined. There is room for some thousand; a key that
// has lost its place is defined again.
func keyPlace(key uint64) *atomic.Uint64 { return &recorded.keys[key*0x9E3779B97F4A7C15>>52] }

// defineObject defines an object once: a second definition would be that of another at the same
// address.
func defineObject(o *sync.Object, addr uint64) {
	recorded.lock.Lock()
	if o.InTrace.Load() == 0 {
		t := o.Table()
		recorder.Object(addr, t.Type, t.Type)
		o.InTrace.Store(1)
	}
	recorded.lock.Unlock()
}

// defineCallSite defines what calls of a method at a position are made on, which has a stack.
func defineCallSite(o *sync.Object, pos uint32, first *numbering, method uint32, s *stack.Stack) {
	t, name, fr := first.table, first.table.Methods[method].Name, s.Top(first.frame)
	unused, again := s.Unused(t, name), false
	source.Sites(fr, name, func(s *compiled.Site) { again = again || s.Again })
	source.Registered.Lock.Lock()
	d := source.Declare(fr, name)
	if global, ok := source.GlobalAt(o.Addr.Load()); ok && d.Kind != "field" {
		d = global
	}
	flags := uint32(0)
	if source.Direct(compiled.Ignore, fr, nil, false) {
		flags |= recorder.Ignored
	}
	if d.Name != "" && source.Direct(compiled.Concurrent, host.Frame{}, &d, false) {
		flags |= recorder.Meant
	}
	if source.IsStd(fr) {
		flags |= recorder.ByLibrary
	}
	if unused {
		flags |= recorder.Unused
	}
	if t.Of.Shipped {
		flags |= recorder.Shipped
	}
	if again {
		flags |= recorder.Again
	}
	define := func(a *compiled.CheckAct) {
		recorder.Act(pos, first.method+method, a.Act.Line, a.Act.File, a.Act.Method)
		first.acts.Store(1)
	}
	source.Acts(fr, name, func(a *compiled.CheckAct) {
		if !a.Through {
			define(a)
		}
	})
	s.EachThrough(t, method, define)
	source.Registered.Lock.Unlock()
	recorder.CallSite(pos, first.method+method, flags, d.Kind, d.Name, d.Pos)
}

// defineKey defines the text of a call's key, if its parameter is known.
func defineKey(c *commrace.Call, hash uint64, param int) {
	a, ok := c.Arg(param)
	if !ok {
		return
	}
	b := text.Buffers.Get()
	b.Reset()
	if a.Type != nil {
		if kind := host.Kind(a.Type); kind == text.KindStruct || kind == text.KindArray {
			text.KeepCompound(&a, commrace.Value(c.Args, param))
		}
	}
	text.Value(b, &a)
	a.Drop()
	recorder.Key(hash, b.String())
	text.Buffers.Put(b)
}
