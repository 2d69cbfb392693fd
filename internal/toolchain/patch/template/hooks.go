// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What packages that commute has changed take from the runtime, by linkname.

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// The hooks of atomic operations report whether they have fixed the order in which this one takes effect, among those at
// its address: for transactions, see commute_atomicContact. Then the operation is made, a load once more, and
// commute_atomicMade called.

// commute_atomicLoad comes after an atomic load.
//
//go:linkname commute_atomicLoad
func commute_atomicLoad(addr unsafe.Pointer) (fixed bool) {
	return commute_emitAtomic(addr, commute_event_AtomicLoad, sys.GetCallerPC())
}

// commute_atomicStore comes before an atomic store.
//
//go:linkname commute_atomicStore
func commute_atomicStore(addr unsafe.Pointer) (fixed bool) {
	return commute_emitAtomic(addr, commute_event_AtomicStore, sys.GetCallerPC())
}

// commute_atomicRMW comes before an atomic read-modify-write.
//
//go:linkname commute_atomicRMW
func commute_atomicRMW(addr unsafe.Pointer) (fixed bool) {
	return commute_emitAtomic(addr, commute_event_AtomicRMW, sys.GetCallerPC())
}

// commute_atomicDone comes after an operation that commute_atomicRMW, or the like, announced. It only acquires, and is no
// access: one was recorded before the operation, and the maker of what that has seen may since have written plainly.
//
//go:linkname commute_atomicDone
func commute_atomicDone(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_AtomicDone)
}

// commute_lock comes before an operation on a mutex, whose words are its own: whoever writes there at the
// same time makes a race.
//
//go:linkname commute_lock
func commute_lock(addr unsafe.Pointer) { commute_atomicWrite(addr, sys.GetCallerPC()) }

// commute_plainLoad comes after a load of a word of what sync.Map is made of, where accesses to memory are watched.
//
//go:linkname commute_plainLoad
func commute_plainLoad(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_PlainLoad)
	commute_atomicRead(addr, sys.GetCallerPC())
}

// commute_plainStore comes before a store.
//
//go:linkname commute_plainStore
func commute_plainStore(addr unsafe.Pointer) {
	commute_atomicWrite(addr, sys.GetCallerPC())
	commute_emit(getg(), addr, commute_event_PlainStore)
}

// commute_plainRMW comes before what does both.
//
//go:linkname commute_plainRMW
func commute_plainRMW(addr unsafe.Pointer) {
	commute_emit(getg(), addr, commute_event_PlainRMW)
}

// commute_testBegin comes when package testing begins a test of a name on the current goroutine.
//
//go:linkname commute_testBegin
func commute_testBegin(root bool, name string) {
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		commute_ctx(ctx).TestBegin(root, name)
		releasem(mp)
	}
}

// commute_deafen hides what the current goroutine does, by 64, or no longer, by -64: its synchronization, as
// race.Disable does, and accesses to memory, whose order is then not seen.
//
//go:linkname commute_deafen
func commute_deafen(by int8) { getg().raceignore += by }

// commute_register takes what a package says of its source.
//
//go:linkname commute_register
func commute_register(r *commute_compiled_Registration) {
	mp := acquirem()
	commute_source_Register(r)
	releasem(mp)
}

// commute_exiting comes before os.Exit with a status other than 0, after the exit hooks.
func commute_exiting(status int) {
	if status != 0 {
		mp := acquirem()
		commute_engine_Exiting(int32(status))
		releasem(mp)
		commute_finish()
	}
}

// commute_crashing comes when the program crashes, on the system stack, before it says so.
func commute_crashing() {
	if commute_memory {
		commute_record_Crashing()
	}
}

// commute_setTimer comes when a timer is set.
func commute_setTimer(addr unsafe.Pointer) { commute_emit(getg(), addr, commute_event_TimerSet) }

// commute_sync comes when a send and a receive meet on an unbuffered channel, one by the current
// goroutine and one by gp, which waits. Where it returns false, the channel's address is to do.
func commute_sync(gp *g, addr unsafe.Pointer) bool {
	me := getg()
	if commute_deaf(me.racectx, addr) || gp.racectx == 0 {
		return false
	}
	commute_meeting(gp, addr)
	commute_orderBoth(me.racectx, gp.racectx)
	mp := acquirem()
	done := commute_ctx(me.racectx).Meet(commute_ctx(gp.racectx), uintptr(addr))
	releasem(mp)
	return done
}

// commute_sweep comes when the marks of a span tell which of its objects are free. A chunk of a user
// arena is freed as a whole, with racefree.
func commute_sweep(s *mspan) {
	if s.isUserArenaChunk {
		return
	}
	mp := acquirem()
	commute_sync_Sweep(s.base(), s.npages*pageSize, func(addr uintptr) bool {
		i := s.objIndex(addr)
		return i < uintptr(s.nelems) && !s.markBitsForIndex(i).isMarked()
	})
	if commute_touched(s.base(), s.npages*pageSize) {
		mark := s.markBitsForBase()
		for i := uintptr(0); i < uintptr(s.nelems); i++ {
			if !mark.isMarked() {
				commute_freeMemory(s.base()+i*s.elemsize, s.elemsize)
			}
			mark.advance()
		}
	}
	releasem(mp)
}

// commute_newSpan comes when pages become part of the heap. They may have been anything else.
func commute_newSpan(s *mspan) {
	if s != nil {
		commute_free(s.base(), s.npages*pageSize)
	}
}

func commute_free(addr, size uintptr) {
	mp := acquirem()
	commute_sync_Free(addr, size)
	commute_freeMemory(addr, size)
	releasem(mp)
}

// commute_begin comes at the start of a call of a specified method.
//
//go:linkname commute_begin
func commute_begin(c *commute_commrace_Call) {
	gp := getg()
	at := commute_place(gp, getfp(), sys.GetCallerPC(), sys.GetCallerSP())
	mp := acquirem()
	c.SetPlace(at)
	commute_orderCall(gp.racectx, c.Obj)
	commute_ctx(gp.racectx).Begin(c)
	releasem(mp)
}

// commute_end comes when the call is over, however it ended.
//
//go:linkname commute_end
func commute_end(c *commute_commrace_Call) {
	gp := getg()
	mp := acquirem()
	commute_orderCall(gp.racectx, c.Obj)
	commute_ctx(gp.racectx).End(c)
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_observe is a whole call of an observer.
//
//go:linkname commute_observe
func commute_observe(spec *commute_commrace_Spec, obj unsafe.Pointer, method, beta uint32, key uint64, args unsafe.Pointer, nargs uint32) {
	gp := getg()
	if gp.racectx == 0 {
		return
	}
	at := commute_place(gp, getfp(), sys.GetCallerPC(), sys.GetCallerSP())
	mp := acquirem()
	commute_orderCall(gp.racectx, obj)
	commute_ctx(gp.racectx).Observe(spec, obj, method, beta, key, args, nargs, at)
	releasem(mp)
	if commute_finding_Halting() {
		commute_halt()
	}
}

// commute_leave comes before a specified method calls back into the program.
//
//go:linkname commute_leave
func commute_leave(c *commute_commrace_Call) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).Leave(c)
	releasem(mp)
}

// commute_resume comes after the callback, however it ended.
//
//go:linkname commute_resume
func commute_resume(c *commute_commrace_Call) {
	gp := getg()
	mp := acquirem()
	commute_ctx(gp.racectx).Resume(c)
	releasem(mp)
}

// commute_hash is the hash of a key; it panics where a map's would. Unlike that, it depends on the
// type: int(1) and int64(1) are different keys. For numbers and pointers of one type it is one to one.
//
//go:linkname commute_hash
func commute_hash(v any) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	t := e._type
	if t == nil {
		return 0
	}
	seed := uint64(t.Hash) * 0x9E3779B97F4A7C15
	switch {
	case t.Kind() == abi.String:
		return commute_hash2(strhash, e.data, seed)
	case t.IsDirectIface() && t.Kind() != abi.Struct && t.Kind() != abi.Array:
		if t.Equal == nil {
			break // a func or map: it panics
		}
		return commute_mix(uint64(uintptr(e.data)) ^ seed)
	case t.TFlag&abi.TFlagRegularMemory != 0 && t.Size_ == 8:
		return commute_mix(*(*uint64)(e.data) ^ seed)
	case t.TFlag&abi.TFlagRegularMemory != 0 && t.Size_ == 4:
		return commute_mix(uint64(*(*uint32)(e.data)) ^ seed)
	}
	p := e.data
	if t.IsDirectIface() {
		p = noescape(unsafe.Pointer(&e.data))
	}
	return commute_deephash(t, p, seed, true)
}

// commute_key is the hash of a value that a call of c's method is keyed by. Where it has none, nothing
// can be said of the call: it counts as one that did not return.
//
//go:linkname commute_key
func commute_key(v any, c *commute_commrace_Call) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	if e._type != nil && !commute_hashable(e._type, commute_host_Data(unsafe.Pointer(e._type), &e.data)) {
		c.State = 2
		return 0
	}
	return commute_hash(v)
}

// commute_dynamic is the type, nil for none, and the place of the value in the interface value of type t at p.
func commute_dynamic(t *_type, p unsafe.Pointer) (dyn *_type, data unsafe.Pointer) {
	dyn = efaceOf((*any)(p))._type
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) > 0 {
		if tab := (*iface)(p).tab; tab != nil {
			dyn = tab.Type
		}
	}
	data = add(p, unsafe.Sizeof(uintptr(0)))
	if dyn != nil && !dyn.IsDirectIface() {
		data = *(*unsafe.Pointer)(data)
	}
	return dyn, data
}

// commute_hashable reports whether the value of type t at p can be a map's key.
func commute_hashable(t *_type, p unsafe.Pointer) bool {
	if t.Equal == nil {
		return false
	}
	switch t.Kind() {
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			if f := &s.Fields[i]; !commute_hashable(f.Typ, add(p, f.Offset)) {
				return false
			}
		}
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			if !commute_hashable(a.Elem, add(p, i*a.Elem.Size_)) {
				return false
			}
		}
	case abi.Interface:
		dyn, data := commute_dynamic(t, p)
		return dyn == nil || commute_hashable(dyn, data)
	}
	return true
}

// commute_deephash is a hash of the value of type t at p that depends on the dynamic types of
// interfaces inside. Where there is no ==, it panics if it must, or takes the representation.
func commute_deephash(t *_type, p unsafe.Pointer, h uint64, must bool) uint64 {
	switch t.Kind() {
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for i := range s.Fields {
			if f := &s.Fields[i]; !f.Name.IsBlank() {
				h = commute_deephash(f.Typ, add(p, f.Offset), h, must)
			}
		}
		return h
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			h = commute_deephash(a.Elem, add(p, i*a.Elem.Size_), h, must)
		}
		return h
	case abi.Interface:
		dyn, data := commute_dynamic(t, p)
		if dyn == nil {
			return commute_mix(h)
		}
		return commute_deephash(dyn, data, commute_mix(h^uint64(dyn.Hash)), must)
	}
	if t.Equal == nil && !must {
		return commute_mix(h ^ uint64(memhash(p, uintptr(h), t.Size_)))
	}
	return commute_mix(h ^ uint64(typehash(t, p, uintptr(h))))
}

// commute_hash2 makes 64 bits of a hash that has those of a word.
func commute_hash2(hash func(unsafe.Pointer, uintptr) uintptr, p unsafe.Pointer, seed uint64) uint64 {
	h := uint64(hash(p, uintptr(seed)))
	if unsafe.Sizeof(uintptr(0)) == 4 {
		h |= uint64(hash(p, uintptr(seed>>32))) << 32
	}
	return h
}

// commute_mix is a permutation of 64-bit numbers in which each bit depends on all.
func commute_mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// commute_same is a == b; values whose type has no == are compared by representation.
//
//go:linkname commute_same
func commute_same(a, b any) bool {
	x, y := (*eface)(noescape(unsafe.Pointer(&a))), (*eface)(noescape(unsafe.Pointer(&b)))
	if x._type != y._type {
		return false
	}
	switch {
	case x._type == nil:
		return true
	case x._type.IsDirectIface():
		return x.data == y.data
	case commute_comparable(x._type):
		return x._type.Equal(x.data, y.data)
	}
	return memequal(x.data, y.data, x._type.Size_)
}
