// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/check/commrace"
	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/trace/recorder"
)

// recordCall records a call of g's that is over, and the points that it has touched. One that repeats another of g's,
// with nothing in between, is not.
func (g *Goroutine) recordCall(o *object, c *commrace.Call) {
	if g.recorded.Number == 0 {
		return
	}
	g.recordHidden()
	t := o.Table()
	first := specification(t)
	addr := uint64(o.addr.Load())
	if o.recorded.Load() == 0 {
		o.recorded.Store(1)
		recorder.Object(addr, t.Type, t.Type)
	}
	if first.called>>c.Method&1 == 0 {
		defineMethod(t, c.Method)
	}
	var pcs [MaxDepth]uintptr
	n, _ := host.Callers(pcs[:], 0)
	stack := pcs[first.inner(pcs[:n]):n]
	pos := position(stack)
	if definedNow(&recorded.callSites, uint64(pos)<<32|uint64(first.method+c.Method)+1) {
		defineCallSite(o, pos, first.method+c.Method, t.Methods[c.Method].Name, stacks.put(stack, 0).top(first.frame))
	}
	n = t.Touches(c)
	recorder.Call(&g.recorded, pos, addr, first.method+c.Method, uint32(n))
	for i := range n {
		point, key, keyed := t.Touch(c, i)
		if keyed && definedNow(&recorded.keys, key|1) {
			defineKey(c, key, t.KeyArg(c, i))
		}
		recorder.Touch(&g.recorded, pos, addr, first.point+uint32(point), key, keyed)
	}
}

// A numbering is where the numbers of a specification's points and methods begin in the trace.
type numbering struct {
	table         *commrace.Table
	point, method uint32
	frame         string // see frameOf
	called        uint64 // a bit for each method that has been called
	index         uint8  // from 1 on; 0: there are too many
}

// A cache remembers, of as many as it has room for, which are defined.
type cache [1 << 12]atomic.Uint64

// definedNow reports whether key, which is not 0, may not have been defined yet, and notes that it is now. What has lost its place
// is defined again, which does no harm.
func definedNow(c *cache, key uint64) bool {
	at := &c[key*0x9E3779B97F4A7C15>>52]
	if at.Load() == key {
		return false
	}
	at.Store(key)
	return true
}

// defineMethod defines what a method is for, when it is called for the first time, and when its calls commute with those of each
// method that was called before, and its own.
func defineMethod(t *commrace.Table, method uint32) {
	r := &recorded
	r.lock.Lock()
	for i := range r.nBases {
		b := &r.bases[i]
		if b.table != t || b.called>>method&1 != 0 {
			continue
		}
		b.called |= 1 << method
		recorder.Role(b.method+method, t.Methods[method].Role.Word())
		for other := range uint32(t.Len()) {
			if b.called>>other&1 != 0 {
				fm := t.Formula(method, other)
				recorder.Formula(b.method+min(method, other), b.method+max(method, other), fm.OnlyResults(), fm.Text, fm.Pos)
			}
		}
	}
	r.lock.Unlock()
}

// defineCallSite defines what calls of a method at a position, whose innermost frame is fr, are made on.
func defineCallSite(o *object, pos, method uint32, name string, fr host.Frame) {
	registered.lock.Lock()
	d := declare(fr, name)
	if global, ok := globalAt(o.addr.Load()); ok && d.kind != "field" {
		d = global
	}
	flags := uint32(0)
	if direct("ignore", fr, nil, false) {
		flags |= recorder.Ignored
	}
	if d.name != "" && direct("concurrent", host.Frame{}, &d, false) {
		flags |= recorder.Meant
	}
	if isStd(fr) {
		flags |= recorder.ByLibrary
	}
	registered.lock.Unlock()
	recorder.CallSite(pos, method, flags, d.kind, d.name, d.pos)
}

// defineKey defines the text of a call's key, if its parameter is known.
func defineKey(c *commrace.Call, hash uint64, param int) {
	a, ok := c.Arg(param)
	if !ok {
		return
	}
	b := buffers.Get()
	b.reset()
	if a.Type != nil {
		if kind := host.Kind(a.Type); kind == kindStruct || kind == kindArray {
			compound(b, a.Type, commrace.Value(c.Args, param), 2)
			a.Keep(b.bytes())
			b.reset()
		}
	}
	value(b, &a)
	recorder.Key(hash, b.string())
	buffers.Put(b)
}

// inner is how many of the return addresses of a stack, innermost first, are in methods of the specification's type, or in
// the runtime.
func (b *numbering) inner(pcs []uintptr) int {
	for n, pc := range pcs {
		if !b.has(pc) {
			return n
		}
	}
	return 0
}

// has reports whether all functions at a return address are methods of the specification's type, or in the runtime.
func (b *numbering) has(pc uintptr) bool {
	at := &inners[(uint64(pc)^uint64(b.point)<<40)*0x9E3779B97F4A7C15>>54]
	key := (uint64(pc)<<8 | uint64(b.index)) << 1
	if v := at.Load(); b.index != 0 && v&^1 == key {
		return v&1 != 0
	}
	has := uint64(1)
	for i := 0; has != 0; i++ {
		name, ok := host.NameAt(pc, i)
		if !ok {
			break
		}
		if !hasPrefix(name, "runtime.") && !isMethod(name, b.frame) {
			has = 0
		}
	}
	at.Store(key | has)
	return has != 0
}

// inners remembers what has was asked for: the return address, the specification's index, and the answer.
var inners [1 << 10]atomic.Uint64

// specification is the numbering of a table.
func specification(t *commrace.Table) numbering {
	r := &recorded
	r.lock.Lock()
	for i := range r.nBases {
		if b := r.bases[i]; b.table == t {
			r.lock.Unlock()
			return b
		}
	}
	b := r.free
	b.table = t
	text := buffers.Get()
	frame := frameOf(t, text)
	kept := unsafe.Slice((*byte)(host.Alloc(uintptr(len(frame)))), len(frame))
	copy(kept, frame)
	b.frame = view(kept)
	buffers.Put(text)
	for i := range t.Points() {
		recorder.Point(b.point+uint32(i), t.Type, t.Point(i))
		for j := range i + 1 {
			if t.Conflict(i, j) {
				recorder.Conflict(b.point+uint32(i), b.point+uint32(j))
			}
		}
	}
	for i := range t.Methods {
		if name := t.Methods[i].Name; name != "" {
			recorder.Method(b.method+uint32(i), t.Type, name)
		}
	}
	if r.nBases < len(r.bases) {
		r.nBases++
		b.index = uint8(r.nBases) // 0 of the last
		r.bases[r.nBases-1] = b
		r.free.point += uint32(t.Points())
		r.free.method += uint32(len(t.Methods))
	}
	r.lock.Unlock()
	return b
}
