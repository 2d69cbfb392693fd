// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// A numbering is what the trace knows of a specification: where the numbers of its points and
// methods begin. There may be any number of them, and to find one takes no lock.
type numbering struct {
	table         *commrace.Table
	point, method uint32
	frame         string        // see frameOf
	called        atomic.Uint64 // a bit for each method that is defined, as it has been called
	within        offheap.Memo  // by return address: what isWithin has found
}

// specification is the numbering of a table, all of whose points and methods are defined.
func specification(t *commrace.Table) *numbering {
	key := uint64(uintptr(unsafe.Pointer(t)))
	if b, ok := recorded.numberings.Get(key); ok {
		return numberingAt(b)
	}
	r := &recorded
	r.lock.Lock()
	if b, ok := r.numberings.Get(key); ok {
		r.lock.Unlock()
		return numberingAt(b)
	}
	b := (*numbering)(host.Alloc(unsafe.Sizeof(numbering{})))
	b.table, b.point, b.method = t, r.points, r.methods
	r.points += uint32(t.Points())
	r.methods += uint32(t.Len())
	b.keepFrame()
	b.define()
	r.numberings.Put(key, uint64(uintptr(unsafe.Pointer(b))))
	r.lock.Unlock()
	return b
}

func numberingAt(addr uint64) *numbering {
	p := uintptr(addr)
	return *(**numbering)(unsafe.Pointer(&p))
}

func (b *numbering) keepFrame() {
	b2 := text.Buffers.Get()
	stack.FrameOf(b.table, b2)
	b.frame = b2.Kept()
	text.Buffers.Put(b2)
}

// define defines the specification's points and methods.
func (b *numbering) define() {
	t := b.table
	for i := range t.Points() {
		recorder.Point(b.point+uint32(i), t.Type, t.Point(i))
		for j := range i + 1 {
			if t.Conflict(i, j) {
				recorder.Conflict(b.point+uint32(i), b.point+uint32(j))
			}
		}
	}
	for i := range t.Len() {
		if name := t.Methods[i].Name; name != "" {
			recorder.Method(b.method+uint32(i), t.Type, name)
		}
	}
}

// defineMethod defines what a method is for, when it is called for the first time, and when its
// calls commute with those of each method that was called before, and its own.
func (b *numbering) defineMethod(method uint32) {
	recorded.lock.Lock()
	called := b.called.Load()
	if called>>method&1 != 0 {
		recorded.lock.Unlock()
		return
	}
	called |= 1 << method
	t := b.table
	recorder.Role(b.method+method, t.Methods[method].Role.Word())
	for other := range uint32(t.Len()) {
		if called>>other&1 != 0 {
			fm := t.Formula(method, other)
			recorder.Formula(b.method+min(method, other), b.method+max(method, other),
				fm.OnlyResults(), fm.Text, fm.Pos)
		}
	}
	b.called.Store(called)
	recorded.lock.Unlock()
}

// inner is how many of the return addresses of a stack, innermost first, are in methods of the
// specification's type, or in the runtime.
func (b *numbering) inner(pcs []uintptr) int {
	for n, pc := range pcs {
		if !b.has(pc) {
			return n
		}
	}
	return 0
}

// has is isWithin, which is found out once.
func (b *numbering) has(pc uintptr) bool {
	within, ok := b.within.Get(uint64(pc))
	if !ok {
		if b.isWithin(pc) {
			within = 1
		}
		b.within.Put(uint64(pc), within)
	}
	return within != 0
}

// isWithin reports whether all functions at a return address are methods of the specification's
// type, or in the runtime.
func (b *numbering) isWithin(pc uintptr) bool {
	for i := 0; ; i++ {
		name, ok := host.NameAt(pc, i)
		if !ok {
			return true
		}
		if !text.HasPrefix(name, "runtime.") && !stack.IsMethod(name, b.frame) {
			return false
		}
	}
}
