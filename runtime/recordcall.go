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
	var pcs [MaxDepth]uintptr
	n := host.Callers(pcs[:])
	pos := position(pcs[first.inner(pcs[:n]):n])
	n = t.Touches(c)
	recorder.Call(&g.recorded, pos, addr, first.method+c.Method, uint32(n))
	for i := range n {
		point, key, keyed := t.Touch(c, i)
		recorder.Touch(&g.recorded, pos, addr, first.point+uint32(point), key, keyed)
	}
}

// A numbering is where the numbers of a specification's points and methods begin in the trace.
type numbering struct {
	table         *commrace.Table
	point, method uint32
	frame         string // see frameOf
	index         uint8  // from 1 on; 0: there are too many
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
