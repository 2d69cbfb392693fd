// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What package host promises of memory, processors, atomic stores and the process. The
// documentation of each function is there; here are the reasons for how it is done inside of the
// runtime.

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// commute_host_FramePointers is host.FramePointers.
const commute_host_FramePointers = framepointer_enabled

// commute_host_Alloc asks the system for memory, as Go's heap can't be used in a hook. Small pieces
// share what was asked for. Others are aligned to a line of the processor's cache.
func commute_host_Alloc(n uintptr) unsafe.Pointer {
	align := uintptr(16)
	if n >= 512 {
		align = 64
	}
	return persistentalloc(n, align, &memstats.other_sys)
}

// commute_host_Reserve reserves addresses for shadow memory. Most pages are never touched, and so
// never get memory: they must not count in the runtime's statistics. Huge pages would give memory
// to all neighbours of a touched page.
func commute_host_Reserve(n uintptr) unsafe.Pointer {
	p := sysAllocOS(n, "commute shadow")
	if p == nil {
		throw("commute: out of memory")
	}
	sysNoHugePage(p, n)
	return p
}

// The values of host.Owned, in the same order.
const (
	commute_host_Mapped   = 0
	commute_host_Constant = 1
	commute_host_Program  = 2
)

// commute_host_Owned finds the owner of an address by the runtime's own tables. A page that is
// read-only in part only counts as the program's.
func commute_host_Owned(addr uintptr) int {
	if spanOfHeap(addr) != nil {
		return commute_host_Program
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if addr-md.noptrdata < md.enoptrdata-md.noptrdata || addr-md.data < md.edata-md.data ||
			addr-md.bss < md.ebss-md.bss || addr-md.noptrbss < md.enoptrbss-md.noptrbss {
			return commute_host_Program
		}
		const page = 4096
		if first := addr &^ (page - 1); md.text <= first && first+page <= md.noptrdata {
			return commute_host_Constant // code, and what is read only
		}
	}
	return commute_host_Mapped
}

// commute_host_Pause spins for a while, as the holder of a lock is about to let it go: it can't be
// preempted. After 64 tries the thread of the holder itself is likely to be stopped by the system,
// so the processor is given away.
func commute_host_Pause(try int) {
	if numCPUStartup == 1 || try > 64 {
		osyield()
		return
	}
	procyield(10)
}

func commute_host_Pin() { acquirem() }

func commute_host_Unpin() { releasem(getg().m) }

// Callers have preemption disabled, so that a P has one of them at a time. Ps beyond the number of
// shards, and callers without a P, share the last shard.
const (
	commute_host_Shards = 64
	commute_host_Bound  = true
)

func commute_host_Shard() uint32 {
	if pp := getg().m.p.ptr(); pp != nil {
		return uint32(min(pp.id, commute_host_Shards-1))
	}
	return commute_host_Shards - 1
}

func commute_host_Prefetch(addr uintptr) { sys.Prefetch(addr) }

func commute_host_Len64(x uint64) int { return sys.Len64(x) }

// commute_ordered is set for processors that keep stores in order. There a plain store is enough to
// publish, and StoreRelease would be a full barrier. The compiler doesn't move memory accesses past
// a store.
const commute_ordered = goarch.IsAmd64|goarch.Is386|goarch.IsS390x|goarch.IsWasm != 0

func commute_host_Publish32(p *commute_atomic_Uint32, v uint32) {
	if commute_ordered {
		*(*uint32)(unsafe.Pointer(p)) = v
	} else {
		p.v.StoreRelease(v)
	}
}

func commute_host_PublishWord(p *commute_atomic_Uintptr, v uintptr) {
	if commute_ordered {
		*(*uintptr)(unsafe.Pointer(p)) = v
	} else {
		p.v.StoreRelease(v)
	}
}

func commute_host_Publish64(p *commute_atomic_Uint64, v uint64) {
	switch {
	case goarch.PtrSize != 8:
		p.Store(v)
	case commute_ordered:
		*(*uint64)(unsafe.Pointer(p)) = v
	default:
		// Uint64 has no StoreRelease on some ports; a word of these is as long.
		(*atomic.Uintptr)(unsafe.Pointer(p)).StoreRelease(uintptr(v))
	}
}

// commute_host_Goid asks the thread's current goroutine: the caller may be on the system stack.
func commute_host_Goid() uint64 {
	if gp := getg().m.curg; gp != nil {
		return gp.goid
	}
	return 0
}

func commute_host_Getenv(name string) string { return gogetenv(name) }

// commute_host_StdRoot is the folder of the standard library, as the binary names it: the name of a
// file of the runtime without its end.
func commute_host_StdRoot() string {
	const here = "runtime/proc.go"
	f, ok := commute_host_FrameAt(abi.FuncPCABIInternal(newproc)+1, 0)
	if n := len(f.File) - len(here); ok && n > 0 && f.File[n:] == here {
		return f.File[:n]
	}
	return ""
}

func commute_host_Exit(code int32) { exit(code) }

func commute_host_Arg(i int) (arg string, ok bool) {
	if i >= len(argslice) {
		return "", false
	}
	return argslice[i], true
}

// commute_host_Block finds the heap object that an address is in.
func commute_host_Block(addr uintptr) (base, size uintptr, heap bool) {
	base, s, _ := findObject(addr, 0, 0)
	if base == 0 {
		return 0, 0, false
	}
	return base, s.elemsize, true
}
