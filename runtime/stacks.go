// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// MaxDepth is the number of physical frames that are kept of a stack, from its top.
const MaxDepth = 64

// A stack is a call stack, kept once however often it is met.
type stack struct {
	next  offheap.AtomicRef[stack]
	hash  uint64
	place uint64        // code place of the top frame of the program, 0 until it is asked for
	use   atomic.Uint32 // what becomes of the result of the call, 0 until it is asked for: see unused
	n     int
	pcs   [0]uintptr
}

// A depot keeps stacks; they are as many as there are paths in the program that lead to go
// statements and specified calls, and are never given up.
type depot struct {
	lock   offheap.Lock
	bucket [1 << 13]offheap.AtomicRef[stack]
}

var stacks depot

// frames returns the return addresses of s, innermost first.
func (s *stack) frames() []uintptr {
	return unsafe.Slice((*uintptr)(unsafe.Add(unsafe.Pointer(s), unsafe.Offsetof(s.pcs))), s.n)
}

// put returns the stack with these return addresses; pcs is not kept.
func (d *depot) put(pcs []uintptr) *stack {
	if len(pcs) == 0 {
		return nil
	}
	hash := uint64(len(pcs))
	for _, pc := range pcs {
		hash = (hash ^ uint64(pc)) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	b := &d.bucket[hash%uint64(len(d.bucket))]
	if s := b.Load().seek(hash, pcs); s != nil {
		return s
	}
	d.lock.Lock()
	s := b.Load().seek(hash, pcs)
	if s == nil {
		s = (*stack)(host.Alloc(unsafe.Sizeof(stack{}) + uintptr(len(pcs))*unsafe.Sizeof(pcs[0])))
		s.hash, s.n = hash, len(pcs)
		copy(s.frames(), pcs)
		s.next.Store(b.Load())
		b.Store(s)
	}
	d.lock.Unlock()
	return s
}

func (s *stack) seek(hash uint64, pcs []uintptr) *stack {
	for ; s != nil; s = s.next.Load() {
		if s.hash == hash && equal(s.frames(), pcs) {
			break
		}
	}
	return s
}

func equal(a, b []uintptr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// walk calls f for the frames of the program, innermost first, until f returns false. The runtime's
// own frames and those of the specified method itself, at the top, are left out; below a callback,
// where the method has two frames, the one that commute put before it.
func (s *stack) walk(method string, f func(fr host.Frame) bool) {
	if s == nil {
		return
	}
	top := true
	for _, pc := range s.frames() {
		for i := 0; ; i++ {
			fr, ok := host.FrameAt(pc, i)
			if !ok {
				break
			}
			if top && (hasPrefix(fr.Func, "runtime.") || isMethod(fr.Func, method)) {
				continue
			}
			if hasPrefix(fr.File, "commute/specs/") {
				continue
			}
			top = false
			if fr.Func == "runtime.goexit" || fr.Func == "runtime.main" {
				return
			}
			if !f(fr) {
				return
			}
		}
	}
}

// top returns the innermost frame of the program.
func (s *stack) top(method string) (found host.Frame) {
	s.walk(method, func(fr host.Frame) bool {
		found = fr
		return false
	})
	return found
}

// codePlace identifies the line of the innermost frame of the program.
func (s *stack) codePlace(method string) uint64 {
	if s == nil {
		return 1
	}
	if s.place == 0 {
		fr := s.top(method)
		h := uint64(fr.Line)
		for i := 0; i < len(fr.File); i++ {
			h = (h ^ uint64(fr.File[i])) * 0x100000001B3
		}
		s.place = h | 1
	}
	return s.place
}
