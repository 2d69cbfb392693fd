// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

// What the template callers.go needs of package runtime, over a simulated stack. The test of
// package patch puts this file and the template's text among the tests of package access.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
)

const commute_access_MaxSteps = MaxSteps

type (
	commute_access_Frames    = Frames
	commute_access_Way       = Way
	commute_engine_Goroutine = Accessor
)

func commute_datarace_PC(i uint32) uintptr { return datarace.PC(i) }

// GOARCH says how a frame is laid out. Only arm64 differs.
var GOARCH = "amd64"

var noFramePointers bool

func tracefpunwindoff() bool { return noFramePointers }

const ptrSize = unsafe.Sizeof(uintptr(0))

type m struct{}

func (*m) hasCgoOnStack() bool { return false }

// A g is a simulated goroutine.
type g struct {
	stack   struct{ lo, hi uintptr }
	m       *m
	racectx uintptr
	memory  []uintptr
	pcs     []uintptr // the return addresses, innermost first
}

func systemstack(f func()) { f() }

// contexts are the goroutines by what is in their racectx.
var contexts = make(map[uintptr]*Accessor)

func commute_ctx(racectx uintptr) *Accessor { return contexts[racectx] }

// panics ends n calls by a panic. The next one recovers it, and returns.
func (th *thread) panics(gp *g, a *Accessor, n int) {
	gp.racectx = 1
	contexts[gp.racectx] = a
	th.calls = th.calls[:len(th.calls)-n]
	commute_recovered(gp, gp.stack.hi-uintptr(th.top().off))
	th.ret()
}

const unwindSilentErrors = 0

// An unwinder goes through the return addresses.
type unwinder struct {
	pcs   []uintptr
	frame struct{ pc uintptr }
}

func (u *unwinder) init(gp *g, _ int) {
	u.pcs = append([]uintptr{0}, gp.pcs...)
	u.next()
}

func (u *unwinder) valid() bool { return len(u.pcs) > 0 }

func (u *unwinder) next() {
	if u.pcs = u.pcs[1:]; len(u.pcs) > 0 {
		u.frame.pc = u.pcs[0]
	}
}

// push puts a frame of some size below sp, and returns the new stack pointer and frame pointer.
func (gp *g) push(sp, fp, ret, size uintptr) (newSP, newFP uintptr) {
	newSP = sp - size
	newFP = sp - 2*ptrSize
	if GOARCH == "arm64" {
		newFP = newSP - ptrSize
	}
	*(*uintptr)(unsafe.Pointer(newFP)) = fp
	*(*uintptr)(unsafe.Pointer(newFP + ptrSize)) = ret
	gp.pcs = slices.Insert(gp.pcs, 0, ret)
	return newSP, newFP
}

// laid has the calls of th on a stack, and then n functions of the runtime, of which the innermost
// program's function calls the first at pc. Each frame's pointer is returned, innermost first.
func (th *thread) laid(gp *g, n int, pc uintptr) (fps []uintptr) {
	gp.pcs = gp.pcs[:0]
	sp, fp := gp.stack.hi-24, uintptr(0)
	add := func(ret, size uintptr) {
		sp, fp = gp.push(sp, fp, ret, size)
		fps = slices.Insert(fps, 0, fp)
	}
	for _, c := range th.calls {
		add(c.ret, uintptr(c.code.size))
	}
	for i := range n {
		ret := uintptr(0x900 + 8*i)
		if i == 0 {
			ret = pc
		}
		add(ret, 32)
	}
	return fps
}

// agrees compares what a node stands for with return addresses.
func agrees(what string, node uint32, want []uintptr) error {
	if got, cut := chain(node); cut || !slices.Equal(got, want) {
		return fmt.Errorf("%s: the callers are %#x, cut off %v; want %#x", what, got, cut, want)
	}
	return nil
}

// announcedTwice compares the site of an access that a function of the runtime announces with the
// whole stack, twice: what is noted the first time may serve the second time.
func (th *thread) announcedTwice(gp *g, a *Accessor, fp, pc uintptr, want []uintptr) error {
	by := [...]uintptr{0, 0x800}[len(th.calls)%2]
	for range 2 {
		way, inner := commute_way(gp, th.f, pc, by, fp)
		known := inner != 0 && th.f.Announced(way, inner) != 0
		site := commute_announcedSite(gp, a, pc, by, fp)
		if known {
			found++
		}
		node := site
		if by != 0 {
			node = datarace.Caller(site)
		}
		if err := agrees(fmt.Sprintf("announced, known %v", known), node, want); err != nil {
			return err
		}
	}
	return nil
}

// checkAll compares all ways to the callers of the innermost call with the whole stack.
func (th *thread) checkAll(gp *g, a *Accessor, r *rand.Rand) error {
	top := th.top()
	n, pc := 1+r.IntN(4), top.code.pc+0x1000+8*uintptr(r.IntN(4))
	fps := th.laid(gp, n, pc)
	var want []uintptr
	for _, c := range slices.Backward(th.calls) {
		want = append(want, c.ret)
	}
	withPC := append([]uintptr{pc}, want...)
	instrumented := top.code.instrumented && r.IntN(3) > 0
	ways := []func() error{
		func() error {
			return agrees(fmt.Sprintf("callers, instrumented %v", instrumented),
				commute_callers(gp, a, fps[0], pc, instrumented), want)
		},
		func() error {
			if !top.code.instrumented {
				return nil
			}
			site, node := commute_quickSite(gp, th.f, top.off, pc, fps[n])
			if site == 0 {
				return nil // it takes the long way
			}
			quick++
			if err := agrees("quick site", site, withPC); err != nil {
				return err
			}
			return agrees("quick node", node, want)
		},
		func() error {
			// Mallocgc, which one of the runtime's functions has called, calls another.
			fps := th.laid(gp, 3, pc)
			node := commute_allocator(gp, a, fps[0])
			if got, _ := chain(node); len(got) == len(withPC)+1 {
				node = datarace.Caller(node) // the place in that function of the runtime
			}
			return agrees("allocator", node, withPC)
		},
		func() error {
			defer th.laid(gp, n, pc)
			pc := top.code.pc + 0x1000 // so that the next access may be by the same way
			fps := th.laid(gp, 1+len(th.calls)%2, pc)
			return th.announcedTwice(gp, a, fps[0], pc, append([]uintptr{pc}, want...))
		},
		func() error {
			th.laid(gp, n, pc)
			// Without frame pointers it always takes the whole stack.
			return agrees("by tables", commute_callersSlow(gp, a, pc), want)
		},
	}
	for _, i := range r.Perm(len(ways)) {
		if err := ways[i](); err != nil {
			return err
		}
	}
	return nil
}

func newG() *g {
	gp := &g{m: new(m), memory: make([]uintptr, 1<<14)}
	gp.stack.lo = uintptr(unsafe.Pointer(&gp.memory[0]))
	gp.stack.hi = gp.stack.lo + uintptr(len(gp.memory))*ptrSize
	return gp
}

var (
	quick int // how often the quick way was enough
	found int // how often the site of an announced access was known
)

// TestCallersAgreeWithStack has random sequences of calls, returns and panics, and accesses in
// between. What each way finds is compared with the whole stack.
func TestCallersAgreeWithStack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	gp, checks := newG(), 0
	for seq := range 400 {
		GOARCH = [...]string{"amd64", "arm64"}[seq%2]
		deep, foreign := [...]int{6, 40, 100, 300}[seq/2%4], seq/8%2 == 1
		a := new(Accessor)
		th := &thread{f: a.NewFrames()}
		th.call(codes[1], 0)
		for range 400 {
			switch op := r.IntN(100); {
			case len(th.calls) == 1 || op < 55 && len(th.calls) < deep:
				c := codes[r.IntN(len(codes))]
				if !c.instrumented && !foreign {
					c = th.top().code // recursion
				}
				th.call(c, r.IntN(3))
			case op < 97 || len(th.calls) < 4:
				th.ret()
			default:
				th.panics(gp, a, 1+r.IntN(min(len(th.calls)-2, 10)))
			}
			if r.IntN(3) > 0 {
				continue
			}
			checks++
			if err := th.checkAll(gp, a, r); err != nil {
				t.Fatalf("sequence %d on %s, %d calls: %v", seq, GOARCH, len(th.calls), err)
			}
		}
	}
	if t.Logf("%d checks, %d by the quick way", checks, quick); quick < checks/10 {
		t.Errorf("of %d checks, the quick way was enough for %d", checks, quick)
	}
	if t.Logf("%d sites of announced accesses were known", found); found < checks/10 {
		t.Errorf("of %d checks, %d had the site of an announced access", checks, found)
	}
}

// TestCallersBehindPanic has a function that is not instrumented be where one was that a panic went
// through, which has left its entry. It makes an access itself, or calls one that does.
func TestCallersBehindPanic(t *testing.T) {
	instrumented, foreign := &code{0x10000, 32, true}, &code{0x20000, 32, false}
	for seed := range uint64(50) {
		r, gp, a := rand.New(rand.NewPCG(seed, 7)), newG(), new(Accessor)
		th := &thread{f: a.NewFrames()}
		th.call(instrumented, 0)
		th.call(instrumented, 1)
		th.call(instrumented, 0)
		if err := th.checkAll(gp, a, r); err != nil {
			t.Fatal(err)
		}
		th.panics(gp, a, 1)
		th.call(foreign, 2)
		if seed%2 == 0 {
			th.call(instrumented, 0)
		}
		if err := th.checkAll(gp, a, r); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestCallersWithOldEntry has a call at whose place there is an entry of an earlier one, as nothing
// has told of its end. The two differ in their return addresses alone. So do those of the calls
// that come next.
func TestCallersWithOldEntry(t *testing.T) {
	told, untold := &code{0x10000, 32, true}, &code{0x10000, 32, false}
	for seed := range uint64(50) {
		r, gp, a := rand.New(rand.NewPCG(seed, 8)), newG(), new(Accessor)
		th := &thread{f: a.NewFrames()}
		th.call(told, 0)
		for site := range 6 {
			c := told
			if site > 0 {
				c = untold
			}
			th.call(c, site%3)
			if seed%2 == 0 {
				th.call(told, 0)
			}
			if err := th.checkAll(gp, a, r); err != nil {
				t.Fatalf("seed %d, call %d: %v", seed, site, err)
			}
			if seed%2 == 0 {
				th.ret()
			}
			th.calls = th.calls[:1]
		}
	}
}
