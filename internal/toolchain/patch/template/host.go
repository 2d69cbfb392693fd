// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What package host promises of memory, processors, atomic stores and the process.

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// commute_host_Alloc asks the system for memory; small pieces share what was asked for. Others are
// aligned to a line of the processor's cache.
func commute_host_Alloc(n uintptr) unsafe.Pointer {
	align := uintptr(16)
	if n >= 512 {
		align = 64
	}
	return persistentalloc(n, align, &memstats.other_sys)
}

func commute_host_Reserve(n uintptr) unsafe.Pointer {
	p := sysAllocOS(n, "commute shadow") // it doesn't count: most of it is never touched
	if p == nil {
		throw("commute: out of memory")
	}
	sysNoHugePage(p, n) // what is touched lies far apart
	return p
}

const (
	commute_host_Mapped   = 0
	commute_host_Constant = 1
	commute_host_Program  = 2
)

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

func commute_host_Pause(try int) {
	if numCPUStartup == 1 || try > 64 {
		osyield()
		return
	}
	procyield(10)
}

// Callers have preemption disabled, so that a P has one at a time. Ps beyond the number of shards,
// and callers without a P, have the last shard together.
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

func commute_host_Len64(x uint64) int { return sys.Len64(x) }

// Publishing needs no more than a plain store where processors keep stores in order; there
// StoreRelease is a full barrier. The compiler doesn't move memory accesses past a store.
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
		(*atomic.Uintptr)(unsafe.Pointer(p)).StoreRelease(uintptr(v)) // Uint64 has none on all ports
	}
}

func commute_host_Goid() uint64 {
	if gp := getg().m.curg; gp != nil {
		return gp.goid
	}
	return 0
}

func commute_host_Getenv(name string) string { return gogetenv(name) }

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

func commute_host_Block(addr uintptr) (base, size uintptr, heap bool) {
	base, s, _ := findObject(addr, 0, 0)
	if base == 0 {
		return 0, 0, false
	}
	return base, s.elemsize, true
}
