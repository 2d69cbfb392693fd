// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/text"
)

// RecordCall records a call of g's that is over, and the points that it has touched. One that repeats another of g's,
// with nothing in between, is not.
func (g *Recorded) RecordCall(o *sync.Object, c *commrace.Call) {
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
	outer := pcs[first.inner(pcs[:n]):n]
	pos := Position(outer)
	site := uint64(pos)<<32 | uint64(first.method+c.Method) + 1
	if _, defined := recorded.callSites.Get(site); !defined {
		defineCallSite(o, pos, first.method+c.Method, t.Methods[c.Method].Name,
			stack.All.Put(outer, 0).Top(first.frame))
		recorded.callSites.Put(site, 1)
	}
	n = t.Touches(c)
	recorder.Call(&g.InTrace, pos, addr, first.method+c.Method, uint32(n))
	for i := range n {
		point, key, keyed := t.Touch(c, i)
		if at := keyPlace(key); keyed && at.Load() != key|1 {
			defineKey(c, key, t.KeyArg(c, i))
			at.Store(key | 1)
		}
		recorder.Touch(&g.InTrace, pos, addr, first.point+uint32(point), key, keyed)
	}
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

// defineCallSite defines what calls of a method at a position, whose innermost frame is fr, are made on.
func defineCallSite(o *sync.Object, pos, method uint32, name string, fr host.Frame) {
	source.Registered.Lock.Lock()
	d := source.Declare(fr, name)
	if global, ok := source.GlobalAt(o.Addr.Load()); ok && d.Kind != "field" {
		d = global
	}
	flags := uint32(0)
	if source.Direct("ignore", fr, nil, false) {
		flags |= recorder.Ignored
	}
	if d.Name != "" && source.Direct("concurrent", host.Frame{}, &d, false) {
		flags |= recorder.Meant
	}
	if source.IsStd(fr) {
		flags |= recorder.ByLibrary
	}
	source.Registered.Lock.Unlock()
	recorder.CallSite(pos, method, flags, d.Kind, d.Name, d.Pos)
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
			text.Compound(b, a.Type, commrace.Value(c.Args, param), 2)
			a.Keep(b.Bytes())
			b.Reset()
		}
	}
	text.Value(b, &a)
	a.Drop()
	recorder.Key(hash, b.String())
	text.Buffers.Put(b)
}
