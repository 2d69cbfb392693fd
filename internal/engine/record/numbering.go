// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
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
	acts          atomic.Uint32 // 1: the trace has a call by which others are decided
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
	b.defineTable()
}

// defineTable defines all that a table is made of, but for the formulas, which are buf.
func (b *numbering) defineTable() {
	of := b.table.Of
	keyed := uint64(0)
	for i := range of.Points {
		if of.Points[i].Keyed {
			keyed |= 1 << i
		}
	}
	recorder.Specified(b.table.Type, b.point, b.method, uint32(len(of.Points)),
		uint32(len(of.Methods)), keyed)
	buf := text.Buffers.Get()
	for i := range of.Methods {
		m := &of.Methods[i]
		flags := uint64(m.Role)<<8 | uint64(m.Visible)<<16
		if m.Callback {
			flags |= 1
		}
		if m.Open {
			flags |= 2
		}
		if m.Derived {
			flags |= 4
		}
		keys := uint64(0)
		for k, arg := range m.Keys {
			keys |= uint64(arg+1) << (4 * k)
		}
		recorder.Shape(b.method+uint32(i), flags, keys, m.Params, m.Results)
		b.defineCases(uint32(i), m.Touch, buf)
	}
	for i := range of.Also {
		a := &of.Also[i]
		buf.Reset()
		for _, c := range a.Conditions {
			buf.Text(text.View([]byte{c.Op, c.Of, c.I, c.J}))
		}
		recorder.Exception(b.method+uint32(a.First), b.method+uint32(a.Second), buf.String())
	}
	text.Buffers.Put(buf)
}

// maxCases is the length of a text of cases from which on the next case is in another buf.
const maxCases = 900

// defineCases defines what calls of a method touch: for each case of the results their number, and
// a byte for each.
func (b *numbering) defineCases(method uint32, cases [][]compiled.Touch, buf *text.Buffer) {
	buf.Reset()
	first := 0
	for i, touches := range cases {
		buf.Text(text.View([]byte{byte(len(touches))}))
		for _, u := range touches {
			buf.Text(text.View([]byte{u.Point<<2 | u.Key}))
		}
		if buf.N > maxCases || i == len(cases)-1 {
			recorder.Cases(b.method+method, uint32(first), buf.String())
			buf.Reset()
			first = i + 1
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

// callers is the stack of a call that is made at a site, from there on. Where that isn't known, it
// is without the frames that may be the type's own.
func (b *numbering) callers(site uintptr, pcs []uintptr) *stack.Stack {
	if s := stack.All.PutFrom(site, pcs, 0); s.Exact() {
		return s
	}
	return stack.All.Put(pcs[b.inner(pcs):], 0)
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
