// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Critical sections: what instrumented code reads and writes in them, which locks it is about to
// take, and which functions check in one section and act in a later one. That a lock is taken or
// let go is announced as any other synchronization.

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/maps"
	"unsafe"
)

// commute_sectionRegister comes at the start of a package that has functions with pairs. If none of
// them is wanted, the touches stay cold.
//
//go:linkname commute_sectionRegister
func commute_sectionRegister(r *commute_compiled_SectionRegistration) {
	mp := acquirem()
	commute_record_RegisterSections(r)
	releasem(mp)
}

// commute_sectionEnter comes at the start of a function with pairs. r is in its frame until
// commute_sectionLeave.
//
//go:linkname commute_sectionEnter
func commute_sectionEnter(r *commute_section_Activation, f *commute_compiled_SectionFunc) {
	if ctx := getg().racectx; ctx != 0 && len(f.Pairs) > 0 {
		mp := acquirem()
		commute_ctx(ctx).EnterPaired(r, f)
		releasem(mp)
		if commute_exploring {
			commute_exploreTransaction(1, false)
		}
	}
}

// commute_sectionLeave comes at its end, however it ends.
//
//go:linkname commute_sectionLeave
func commute_sectionLeave(r *commute_section_Activation) {
	ctx := getg().racectx
	if ctx == 0 {
		return
	}
	mp := acquirem()
	commute_ctx(ctx).LeavePaired(r)
	releasem(mp)
	if commute_exploring {
		commute_exploreTransaction(-1, false)
	}
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_sectionLock comes before instrumented code takes a lock. It may hold the goroutine up, so
// that others come between two sections.
//
//go:linkname commute_sectionLock
func commute_sectionLock(s *commute_compiled_LockSite, lock unsafe.Pointer) {
	ctx := getg().racectx
	if ctx == 0 || !commute_instance_Sections.Wanted() {
		return
	}
	mp := acquirem()
	pause := commute_ctx(ctx).Locks(s, uintptr(lock))
	releasem(mp)
	commute_pause(pause)
}

// commute_sectionUnknown comes where what the current goroutine does next may depend on anything
// that has happened.
func commute_sectionUnknown(gp *g) {
	if !commute_instance_Sections.On() || gp.racectx == 0 || gp.raceignore != 0 {
		return
	}
	mp := acquirem()
	g := commute_ctx(gp.racectx)
	g.UnknownWeak(g.TimerContext)
	releasem(mp)
}

// commute_sectionEnded comes after a release, by which a critical section may have ended. What was
// found by it is handed on: the goroutine may never again do anything else.
//
// Each release comes here, so it is inlined.
func commute_sectionEnded(g *commute_engine_Goroutine) {
	if commute_instance_Sections.On() {
		commute_deliverSections(g)
	}
}

// commute_deliverSections is commute_sectionEnded where there are functions with pairs.
//
//go:noinline
func commute_deliverSections(g *commute_engine_Goroutine) { g.DeliverSections() }

// commute_sectionAtomic comes before instrumented code makes an atomic operation of a variable of
// some bytes. It may hold the goroutine up, as commute_sectionLock does.
//
//go:linkname commute_sectionAtomic
func commute_sectionAtomic(p *commute_compiled_SectionTouch, addr unsafe.Pointer, size uintptr) {
	ctx := getg().racectx
	if ctx == 0 {
		return
	}
	mp := acquirem()
	pause := commute_ctx(ctx).Operates(p, uintptr(addr), size)
	releasem(mp)
	commute_pause(pause)
}

// commute_sectionMaking comes before an atomic operation of the current goroutine, or after a load
// that is then repeated. It reports whether instrumented code has announced it. If so its order is
// fixed until commute_atomicMade; fixed says that others have fixed it as well.
//
// Each atomic operation comes here, so it is inlined.
func commute_sectionMaking(addr unsafe.Pointer, k commute_event_Kind, fixed bool) bool {
	return commute_instance_Sections.Atomics() && commute_announcedMaking(addr, k, fixed)
}

// commute_announcedMaking is commute_sectionMaking where pairs are of atomic operations.
//
//go:noinline
func commute_announcedMaking(addr unsafe.Pointer, k commute_event_Kind, fixed bool) bool {
	op := commute_compiled_UpdateVar
	switch k {
	case commute_event_AtomicLoad:
		op = commute_compiled_ReadVar
	case commute_event_AtomicStore:
		op = commute_compiled_WriteVar
	}
	mp := acquirem()
	if commute_ctx(getg().racectx).Weak.Section.Making(uintptr(addr), op, fixed) {
		return true // and it is not stopped before the operation is made
	}
	releasem(mp)
	return false
}

// commute_atomicMade comes after an operation whose order was fixed, and lets others go on.
//
//go:linkname commute_atomicMade
func commute_atomicMade(addr unsafe.Pointer) {
	gp := getg()
	g := commute_ctx(gp.racectx)
	made, fixed := g.Operated(commute_atomicWord)
	if !made || fixed {
		commute_atomicUnfix(addr)
	}
	if made {
		commute_sectionEnded(g)
		releasem(gp.m)
	}
}

// commute_atomicWord is what is in the variable of an atomic operation: its bits, or of an
// atomic.Value the pointer to what it holds.
func commute_atomicWord(addr, size uintptr) uint64 {
	p := unsafe.Pointer(addr)
	switch size {
	case 4:
		return uint64(atomic.Load((*uint32)(p)))
	case 8:
		return atomic.Load64((*uint64)(p))
	}
	if atomic.Loaduintptr((*uintptr)(p)) == 0 {
		return 0
	}
	return uint64(atomic.Loaduintptr((*uintptr)(add(p, goarch.PtrSize))))
}

// commute_sectionTouch comes with a read, or after a write, of what locks guard. The key and the
// value are in the caller's frame, or in the variable; their types are those that the types' values
// point to.
//
//go:linkname commute_sectionTouch
func commute_sectionTouch(p *commute_compiled_SectionTouch, object unsafe.Pointer,
	keyType any, key unsafe.Pointer, valueType any, value unsafe.Pointer) {
	ctx := getg().racectx
	if ctx != 0 && object != nil && !commute_knownQuiet(ctx, p) && !commute_passes(ctx, p) {
		commute_touchSection(ctx, p, object, keyType, key, valueType, value)
	}
}

// commute_touchSection is commute_sectionTouch for a touch that doesn't pass. The frame is a large
// one, so it's not that of the hook.
//
//go:noinline
func commute_touchSection(ctx uintptr, p *commute_compiled_SectionTouch, object unsafe.Pointer,
	keyType any, key unsafe.Pointer, valueType any, value unsafe.Pointer) {
	mp := acquirem()
	wanted := commute_ctx(ctx).Wants(p, uintptr(object))
	releasem(mp)
	if !wanted {
		return // so no hash is needed, nor is anything read that might be written meanwhile
	}
	t := commute_call_Touch{At: p, Object: uintptr(object)}
	if kt := commute_pointee(keyType); kt != nil {
		t.Key = commute_keyWord(kt, key)
		t.KeyType, t.KeyAt = unsafe.Pointer(kt), key
	}
	switch {
	case p.Op == commute_compiled_Len || p.Op == commute_compiled_ReadAll ||
		p.Op == commute_compiled_WriteAll:
		t.Value = uint64(*(*int)(value))
	default:
		if vt := commute_pointee(valueType); vt != nil {
			t.Value = commute_valueWord(vt, value)
			t.ValueType, t.ValueAt = unsafe.Pointer(vt), value
		}
	}
	switch p.Op {
	case commute_compiled_Insert, commute_compiled_Update, commute_compiled_Delete:
		t.N = (*maps.Map)(object).Used()
	}
	mp = acquirem()
	commute_ctx(ctx).Touches(&t)
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_sectionBlock comes with an access to elements in some bytes of memory. What shares the
// memory with them is told by the block: one of the heap, or all memory that was not allocated at
// run time. What is on a stack no other goroutine has. Only the heap is read: other memory may be
// mapped so that it can't be, where the program doesn't read it itself.
//
//go:linkname commute_sectionBlock
func commute_sectionBlock(p *commute_compiled_SectionTouch, at unsafe.Pointer, size uintptr) {
	ctx := getg().racectx
	if ctx == 0 || at == nil || size == 0 && p.Op == commute_compiled_ReadBacking ||
		commute_knownQuiet(ctx, p) || commute_passes(ctx, p) { // the block need not be known
		return
	}
	commute_touchBlock(ctx, p, at, size)
}

// commute_touchBlock is commute_sectionBlock for a touch that doesn't pass.
//
//go:noinline
func commute_touchBlock(ctx uintptr, p *commute_compiled_SectionTouch, at unsafe.Pointer,
	size uintptr) {
	block, known := uintptr(unsafe.Pointer(&commute_noBlock)), uintptr(0)
	if s := spanOf(uintptr(at)); s != nil {
		if s.state.get() != mSpanInUse || uintptr(at) >= s.limit {
			return
		}
		if block, _, _ = findObject(uintptr(at), 0, 0); block != 0 {
			known = min(size, block+s.elemsize-uintptr(at))
		}
	}
	mp := acquirem()
	g := commute_ctx(ctx)
	if block != 0 && g.Wants(p, block) && !commute_section_Noted(&g.Weak.Section, p, block) {
		t := commute_call_Touch{At: p, Object: block, Value: commute_section_Unknown}
		if p.Op == commute_compiled_ReadBacking && known > 0 {
			t.Value = commute_contents(at, known)
		}
		g.Touches(&t)
	}
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_knownQuiet reports whether a touch is known to be done with. It is inlined, as each one
// comes here.
func commute_knownQuiet(ctx uintptr, p *commute_compiled_SectionTouch) bool {
	return commute_section_Quiet(&commute_ctx(ctx).Weak.Section, p) &&
		!(commute_memory && commute_record_On())
}

// commute_passes reports whether a touch is done with, wherever it is, if that is not known. It
// looks at nothing but what is the goroutine's own.
//
//go:noinline
func commute_passes(ctx uintptr, p *commute_compiled_SectionTouch) bool {
	return commute_section_Passes(&commute_ctx(ctx).Weak.Section, p,
		commute_memory && commute_record_On())
}

// commute_noBlock stands for all memory that is in no block of the heap.
var commute_noBlock uint64

// commute_contents is a word for what is in some bytes of memory, by the first of them. It follows
// no pointer: others may write what the program does not read.
func commute_contents(p unsafe.Pointer, size uintptr) uint64 {
	const most = 4 << 10
	h := commute_bytesHash(p, min(size, most), commute_text_Mix(uint64(size)))
	if h == commute_section_Unknown {
		return 1
	}
	return h
}

// commute_sectionKey reports whether a touch of a map at a key has to be told of. It has not if it
// passes, nor if the key has no hash: then the program is going to panic. So the map need not be
// looked into.
//
//go:linkname commute_sectionKey
func commute_sectionKey(p *commute_compiled_SectionTouch, keyType any, key unsafe.Pointer) bool {
	ctx := getg().racectx
	return ctx != 0 && !commute_knownQuiet(ctx, p) && !commute_passes(ctx, p) &&
		commute_hashable(commute_pointee(keyType), key)
}

// commute_pointee is the type that a pointer type points to, nil for none.
func commute_pointee(v any) *_type {
	t := efaceOf(&v)._type
	if t == nil {
		return nil
	}
	return (*ptrtype)(unsafe.Pointer(t)).Elem
}
