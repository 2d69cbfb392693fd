// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Stacks and positions: what package host promises of them. Nothing here allocates, but for the
// names of generic functions in commute_host_FrameAt.

import (
	"internal/abi"
	"internal/goarch"
	"unsafe"
)

func commute_host_Callers(buf []uintptr, outer int) (n, elided int) {
	return commute_stack(getg(), buf, outer)
}

// commute_stack stores the return addresses of gp's physical frames, innermost first, and returns
// their number. If buf has too little room its last outer places are for the outermost frames,
// before which elided ones are left out. gp is the current goroutine, or the one that the current
// system stack works for.
//
// The frames on the outside are in a ring while the walk lasts: how many there are isn't known
// before.
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

func commute_host_CallersFrom(buf []uintptr, frame, ret uintptr) (n int) {
	gp := getg()
	if tracefpunwindoff() || gp.m.hasCgoOnStack() {
		return 0
	}
	fp := getfp()
	for gp.stack.hi-fp != frame {
		if fp = *(*uintptr)(unsafe.Pointer(fp)); !commute_isFrame(gp, fp) || gp.stack.hi-fp < frame {
			return 0
		}
	}
	if *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize)) != ret {
		return 0
	}
	for fp = *(*uintptr)(unsafe.Pointer(fp)); n < len(buf) && fp != 0; n++ {
		buf[n] = *(*uintptr)(unsafe.Pointer(fp + goarch.PtrSize))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return n
}

// commute_rotate moves the element at i to the front, and those before it to the end: two halves
// are reversed, and then the whole.
func commute_rotate(s []uintptr, i int) {
	for _, part := range [...][]uintptr{s[:i], s[i:], s} {
		for a, b := 0, len(part)-1; a < b; a, b = a+1, b-1 {
			part[a], part[b] = part[b], part[a]
		}
	}
}

// commute_unwind is commute_stack by the tables of the linker. It serves ports without frame
// pointers, and stacks with frames of C.
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

// commute_host_FrameAt gives the i-th frame at pc, as a stack trace shows it: wrappers that were
// inlined are left out.
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
		return commute_host_Frame{Func: commute_printedName(sf.name()), File: file, Line: line,
			Offset: at - fi.entry()}, true
	}
	return f, false
}

// commute_printedNames has the names of generic functions as they are printed, by the addresses of
// the names in the linker's tables.
var commute_printedNames commute_offheap_Memo

// A commute_printed is such a name; the text follows its length.
type commute_printed struct{ n uintptr }

// commute_printedName is the runtime's funcNameForPrint, which takes memory of Go's heap.
func commute_printedName(name string) string {
	groups := commute_cutTypes(nil, name)
	if groups == 0 {
		return name
	}
	key := uint64(uintptr(unsafe.Pointer(unsafe.StringData(name))))
	at, ok := commute_printedNames.Get(key)
	if !ok {
		room := uintptr(len(name) + len("...")*groups)
		p := (*commute_printed)(commute_host_Alloc(unsafe.Sizeof(commute_printed{}) + room))
		text := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))), room)
		commute_cutTypes(&commute_cut{text, &p.n}, name)
		at = commute_printedNames.Put(key, uint64(uintptr(unsafe.Pointer(p))))
	}
	word := uintptr(at)
	p := *(**commute_printed)(unsafe.Pointer(&word))
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))), int(p.n))
}

// A commute_cut is where a name is written, and how many bytes of it were.
type commute_cut struct {
	text []byte
	n    *uintptr
}

// commute_cutTypes writes a function's name with dots for what is in brackets, the types of a generic
// one. To may be nil. The result is how many pairs of brackets there are, of the outermost ones.
func commute_cutTypes(to *commute_cut, name string) (groups int) {
	depth := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == ']' && depth > 0 {
			depth--
		}
		if depth == 0 && to != nil {
			to.text[*to.n] = c
			*to.n++
		}
		if c != '[' {
			continue
		}
		if depth++; depth > 1 {
			continue
		}
		if groups++; to != nil {
			*to.n += uintptr(copy(to.text[*to.n:], "..."))
		}
	}
	return groups
}

// commute_host_NameAt is the name of the i-th function at pc, wrappers included. It allocates
// nothing.
func commute_host_NameAt(pc uintptr, i int) (name string, ok bool) {
	name, _, _, ok = commute_host_PlaceAt(pc, i)
	return name, ok
}

// commute_host_PlaceAt gives the name and position of the i-th function at pc. It allocates
// nothing.
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
