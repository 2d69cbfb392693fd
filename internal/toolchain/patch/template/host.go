// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What the engine calls package host.

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

func commute_host_Callers(buf []uintptr, outer int) (n, elided int) {
	return commute_stack(getg(), buf, outer)
}

// commute_stack stores the return addresses of gp's physical frames, innermost first. If there are more than buf has room for,
// its last outer places are for the outermost, before which elided ones are left out. gp is the
// current goroutine, or the one that the current system stack works for.
func commute_stack(gp *g, buf []uintptr, outer int) (n, elided int) {
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return commute_unwind(gp, buf, outer)
	}
	fp := gp.sched.bp
	if gp == getg() {
		fp = getfp()
	}
	for ; n < len(buf) && fp != 0; n++ {
		buf[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	if fp == 0 || outer == 0 {
		return n, 0
	}
	last := buf[len(buf)-outer:]
	for ; fp != 0; elided++ {
		last[elided%outer] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	commute_rotate(last, elided%outer)
	return n, elided
}

// commute_rotate puts the element at i first, and what was before it last.
func commute_rotate(s []uintptr, i int) {
	for _, part := range [...][]uintptr{s[:i], s[i:], s} {
		for a, b := 0, len(part)-1; a < b; a, b = a+1, b-1 {
			part[a], part[b] = part[b], part[a]
		}
	}
}

// commute_unwind is commute_stack where there are no frame pointers.
func commute_unwind(gp *g, buf []uintptr, outer int) (n, elided int) {
	systemstack(func() {
		var u unwinder
		for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
			switch {
			case n < len(buf):
				buf[n] = u.frame.pc
				n++
			case outer == 0:
				return
			default:
				buf[len(buf)-outer+elided%outer] = u.frame.pc
				elided++
			}
		}
	})
	if elided > 0 {
		commute_rotate(buf[len(buf)-outer:], elided%outer)
	}
	return n, elided
}

func commute_host_FrameAt(pc uintptr, i int) (f commute_host_Frame, ok bool) {
	fi := findfunc(pc)
	if !fi.valid() {
		return f, false
	}
	at := pc
	if pc > fi.entry() {
		pc-- // a return address: the call is before it
	}
	u, uf := newInlineUnwinder(fi, pc)
	for ; uf.valid(); uf = u.next(uf) {
		sf := u.srcFunc(uf)
		if sf.funcID == abi.FuncIDWrapper && u.isInlined(uf) {
			continue
		}
		if i > 0 {
			i--
			continue
		}
		file, line := u.fileLine(uf)
		return commute_host_Frame{Func: funcNameForPrint(sf.name()), File: file, Line: line, Offset: at - fi.entry()}, true
	}
	return f, false
}

// commute_host_LineAt is the place of the frame that commute_host_FrameAt gives. It allocates nothing.
func commute_host_LineAt(pc uintptr, i int) (file string, line int, ok bool) {
	fi := findfunc(pc)
	if !fi.valid() {
		return "", 0, false
	}
	if pc > fi.entry() {
		pc--
	}
	u, uf := newInlineUnwinder(fi, pc)
	for ; uf.valid(); uf = u.next(uf) {
		if u.srcFunc(uf).funcID == abi.FuncIDWrapper && u.isInlined(uf) {
			continue
		}
		if i == 0 {
			file, line = u.fileLine(uf)
			return file, line, true
		}
		i--
	}
	return "", 0, false
}

// commute_host_NameAt allocates nothing, as commute_host_FrameAt may for generic functions.
func commute_host_NameAt(pc uintptr, i int) (name string, ok bool) {
	name, _, _, ok = commute_host_PlaceAt(pc, i)
	return name, ok
}

// Nor does commute_host_PlaceAt.
func commute_host_PlaceAt(pc uintptr, i int) (name, file string, line int, ok bool) {
	fi := findfunc(pc)
	if !fi.valid() {
		return "", "", 0, false
	}
	if pc > fi.entry() {
		pc--
	}
	u, uf := newInlineUnwinder(fi, pc)
	for ; uf.valid(); uf = u.next(uf) {
		if i == 0 {
			file, line = u.fileLine(uf)
			return u.srcFunc(uf).name(), file, line, true
		}
		i--
	}
	return "", "", 0, false
}

// commute_host_Frame is host.Frame.
type commute_host_Frame struct {
	Func, File string
	Line       int
	Offset     uintptr
}

func commute_host_Write(fd uintptr, p []byte) bool {
	for len(p) > 0 {
		n := write(fd, unsafe.Pointer(unsafe.SliceData(p)), int32(len(p)))
		if n <= 0 {
			return false
		}
		p = p[n:]
	}
	return true
}

// commute_cstring copies a file name to where system calls can read it.
func commute_cstring(s string) *byte {
	p := unsafe.Slice((*byte)(commute_host_Alloc(uintptr(len(s)+1))), len(s)+1)
	copy(p, s)
	return &p[0]
}

func commute_host_Create(path string) (fd uintptr, ok bool) {
	return commute_open(commute_cstring(path), 0x40|0x200, 0x200|0x400)
}

// commute_open opens a file for writing; the flags besides O_WRONLY are Linux's, and those of Darwin and the BSDs.
func commute_open(path *byte, linux, bsd int32) (fd uintptr, ok bool) {
	var flags int32
	switch GOOS {
	case "linux", "android":
		flags = 0x1 | linux
	case "darwin", "ios", "freebsd", "netbsd", "openbsd", "dragonfly":
		flags = 0x1 | bsd
	default:
		return 0, false
	}
	n := open(path, flags, 0o644)
	return uintptr(n), n >= 0
}

func commute_host_Append(path string) (fd uintptr, ok bool) {
	return commute_open(commute_cstring(path), 0x400, 0x8)
}

func commute_host_Close(fd uintptr) { closefd(int32(fd)) }

// commute_rewound is the name of the file that is rewound, as there is only one. It's no pointer, as a crash must not write
// any.
var commute_rewound uintptr

// commute_host_Rewind opens the file anew, as Go's runtime can't seek. On Linux that goes by the descriptor, so that it is the
// file even if it was moved, or the program is in another folder now.
func commute_host_Rewind(fd uintptr, path string) (again uintptr, ok bool) {
	if GOOS == "linux" || GOOS == "android" {
		var buf [len("/proc/self/fd/") + 21]byte
		at := len(buf) - 1
		for n := fd; n > 0 || at == len(buf)-1; n /= 10 {
			at--
			buf[at] = byte('0' + n%10)
		}
		at -= copy(buf[at-len("/proc/self/fd/"):], "/proc/self/fd/")
		again, ok = commute_open(&buf[at], 0, 0)
	}
	if !ok {
		if commute_rewound == 0 {
			commute_rewound = uintptr(unsafe.Pointer(commute_cstring(path)))
		}
		again, ok = commute_open((*byte)(unsafe.Pointer(commute_rewound)), 0, 0)
	}
	if ok {
		closefd(int32(fd))
	}
	return again, ok
}

func commute_host_ReadFile(path string) (data []byte, ok bool) {
	switch GOOS {
	case "windows", "js", "wasip1":
		return nil, false
	}
	fd := open(commute_cstring(path), 0, 0)
	if fd < 0 {
		return nil, false
	}
	n, room := 0, 32<<10
	p := commute_host_Alloc(uintptr(room))
	for {
		if n == room {
			q := commute_host_Alloc(uintptr(2 * room))
			memmove(q, p, uintptr(n))
			p, room = q, 2*room
		}
		k := read(fd, add(p, uintptr(n)), int32(min(room-n, 1<<20)))
		if k <= 0 {
			ok = k == 0
			break
		}
		n += int(k)
	}
	closefd(fd)
	return unsafe.Slice((*byte)(p), n), ok
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

func commute_host_Hash(v any) uint64 {
	e := (*eface)(noescape(unsafe.Pointer(&v)))
	if e._type == nil {
		return 0
	}
	p := e.data
	if e._type.IsDirectIface() {
		p = noescape(unsafe.Pointer(&e.data))
	}
	return commute_deephash(e._type, p, uint64(e._type.Hash)*0x9E3779B97F4A7C15, false)
}

// commute_comparable reports whether values of t can be compared whatever they are: an interface
// inside might hold a value that can't.
func commute_comparable(t *_type) bool {
	switch t.Kind() {
	case abi.Func, abi.Map, abi.Slice, abi.Interface:
		return false
	case abi.Array:
		return commute_comparable((*arraytype)(unsafe.Pointer(t)).Elem)
	case abi.Struct:
		for i := range (*structtype)(unsafe.Pointer(t)).Fields {
			if !commute_comparable((*structtype)(unsafe.Pointer(t)).Fields[i].Typ) {
				return false
			}
		}
	}
	return true
}

func commute_host_TypeName(typ unsafe.Pointer) string { return toRType((*_type)(typ)).string() }

func commute_host_Kind(typ unsafe.Pointer) uint8 { return uint8((*_type)(typ).Kind()) }

func commute_host_Arg(i int) (arg string, ok bool) {
	if i >= len(argslice) {
		return "", false
	}
	return argslice[i], true
}

func commute_host_Data(typ unsafe.Pointer, word *unsafe.Pointer) unsafe.Pointer {
	if (*_type)(typ).IsDirectIface() {
		return unsafe.Pointer(word)
	}
	return *word
}

func commute_host_Part(typ unsafe.Pointer, i int) (part unsafe.Pointer, offset uintptr, ok bool) {
	switch t := (*_type)(typ); t.Kind() {
	case abi.Struct:
		if s := (*structtype)(typ); i < len(s.Fields) {
			return unsafe.Pointer(s.Fields[i].Typ), s.Fields[i].Offset, true
		}
	case abi.Array:
		if a := (*arraytype)(typ); uintptr(i) < a.Len {
			return unsafe.Pointer(a.Elem), uintptr(i) * a.Elem.Size_, true
		}
	}
	return nil, 0, false
}

func commute_host_Block(addr uintptr) (base, size uintptr, heap bool) {
	base, s, _ := findObject(addr, 0, 0)
	if base == 0 {
		return 0, 0, false
	}
	return base, s.elemsize, true
}
