// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/stack"
)

// A code is a function of a simulated program: all its frames are of one size.
type code struct {
	pc           uintptr // return addresses in it begin here
	size         uint32
	instrumented bool
}

// An invocation is a function that is under way in a simulated stack.
type invocation struct {
	code    *code
	off     uint32  // where its frame ends
	ret     uintptr // its return address
	deepest int     // the most calls that were under way since
}

// A thread is a simulated goroutine: its calls, outermost first, and what Frames makes of them.
type thread struct {
	f     *Frames
	calls []invocation
}

func newThread() *thread { return &thread{f: new(Accessor).NewFrames()} }

func (th *thread) top() *invocation { return &th.calls[len(th.calls)-1] }

// call calls a function from the site-th place of the innermost one.
func (th *thread) call(c *code, site int) {
	off, ret := uint32(24), uintptr(0x100)
	if len(th.calls) > 0 {
		off, ret = th.top().off, th.top().code.pc+uintptr(site)*8
	}
	th.calls = append(th.calls, invocation{code: c, off: off + c.size, ret: ret})
	for i := range th.calls {
		th.calls[i].deepest = max(th.calls[i].deepest, len(th.calls))
	}
	if c.instrumented {
		th.f.Enter(th.top().off)
	}
}

func (th *thread) ret() {
	if th.top().code.instrumented {
		th.f.Exit()
	}
	th.calls = th.calls[:len(th.calls)-1]
}

// recover ends n calls by a panic; the next one then returns.
func (th *thread) recover(n int) {
	th.calls = th.calls[:len(th.calls)-n]
	th.f.Recovered(th.top().off)
	th.ret()
}

// callers is what accesses by the i-th call find its callers to be; outside is that a function of
// the runtime, which the call has called, makes them.
func (th *thread) callers(i int, outside bool) uint32 {
	c := &th.calls[i]
	if c.code.instrumented && !outside {
		if node := th.f.CallerNode(c.off); node != 0 {
			return node
		}
	}
	w := th.f.Walk(c.off, c.code.instrumented && !outside)
	for ; i >= 0; i-- {
		off := uint32(24)
		if i > 0 {
			off = th.calls[i-1].off
		}
		if w.Up(th.calls[i].ret, off) {
			break
		}
	}
	return w.End()
}

// chain is the return addresses that a site stands for, and whether there are more.
func chain(site uint32) (pcs []uintptr, cut bool) {
	for site > datarace.CutOff {
		pcs = append(pcs, datarace.PC(site))
		site = datarace.Caller(site)
	}
	return pcs, site == datarace.CutOff
}

// check compares the callers of the i-th call with the return addresses on the stack. The functions
// that are under way then have their nodes, so that the next walk will be short.
func (th *thread) check(i int, outside bool) error {
	got, cut := chain(th.callers(i, outside))
	var want []uintptr
	for k := i; k >= 0; k-- {
		want = append(want, th.calls[k].ret)
	}
	switch {
	case len(got) == 0 || len(got) > len(want) || !slices.Equal(got, want[:len(got)]):
		return fmt.Errorf("callers of call %d are %#x, want %#x", i, got, want)
	case !cut && len(got) < len(want):
		return fmt.Errorf("%d callers of call %d, want %d", len(got), i, len(want))
	case cut:
		return fmt.Errorf("callers of call %d are cut off after %d", i, len(got))
	}
	if n := th.f.fresh(); n > 0 {
		return fmt.Errorf("after a walk from call %d, %d functions have no node", i, n)
	}
	return nil
}

// codes are functions with frames of few sizes, so that there are equal offsets. Every third is not
// instrumented.
var codes = func() (list [12]*code) {
	for i := range list {
		list[i] = &code{uintptr(0x10000 * (i + 1)), 16 * uint32(1+i/3%3), i%3 > 0}
	}
	return list
}()

// A way says what sequences have.
type way struct {
	deep    int  // at most so many calls are under way
	panics  bool // calls end by panics
	foreign bool // functions that are not instrumented are called, and make accesses
}

// play runs a sequence of calls, returns and panics, each a byte and one for details, and accesses
// after them.
func play(script []byte, w way, log func(format string, args ...any)) error {
	th := newThread()
	th.call(codes[1], 0)
	for ; len(script) >= 2; script = script[2:] {
		op, arg := script[0], int(script[1])
		depth := len(th.calls)
		switch {
		case depth == 1 || op < 130 && depth < w.deep:
			c := th.top().code // recursion
			if op&1 == 0 {
				c = codes[arg%len(codes)]
			}
			if !c.instrumented && !w.foreign {
				c = codes[1]
			}
			th.call(c, arg>>4%3)
			log("call of %#x, instrumented %v, to return to %#x, at %d", c.pc, c.instrumented,
				th.top().ret, th.top().off)
		case op < 250 || depth < 4 || !w.panics:
			log("return from %#x", th.top().code.pc)
			th.ret()
		default:
			n := 1 + arg%min(depth-2, 10)
			log("panic in %#x, through %d calls; and return", th.top().code.pc, n)
			th.recover(n)
		}
		if arg&7 == 0 {
			continue
		}
		i := len(th.calls) - 1
		outside := !th.calls[i].code.instrumented || arg>>3&3 == 0
		var err error
		if outside {
			err = th.checkAnnounced(arg >> 5)
		} else {
			err = th.check(i, outside)
		}
		if err != nil {
			return err
		}
		log("  access by %#x, or by the runtime for it: %v", th.top().code.pc, outside)
	}
	return nil
}

// TestFramesAgreeWithStack has random sequences, deeper than the ring of frames at times.
func TestFramesAgreeWithStack(t *testing.T) {
	n := 1600
	if testing.Short() {
		n /= 10
	}
	r := rand.NewChaCha8([32]byte{1})
	script := make([]byte, 1200)
	for seq := range n {
		r.Read(script)
		for i := 0; i < len(script); i += 2 { // deep at times, and then not
			if op := int(script[i]); op < 250 {
				script[i] = byte(max(0, min(249, op+60-120*(i/200%2))))
			}
		}
		w := way{[...]int{6, 40, 100, 300}[seq%4], seq/4%3 != 1, seq/4%3 != 0}
		if play(script, w, func(string, ...any) {}) != nil {
			err := play(shortest(script, w), w,
				func(format string, args ...any) { t.Logf(format, args...) })
			t.Fatalf("sequence %d, %+v: %v", seq, w, err)
		}
	}
	if wayUsed < 10*n {
		t.Errorf("%d sites were found by the way to them: the test looks at few", wayUsed)
	}
}

// shortest takes out of a script what it fails without.
func shortest(script []byte, w way) []byte {
	for size := len(script) / 2; size > 0; size /= 2 {
		for i := 0; i+2*size <= len(script); {
			less := slices.Delete(slices.Clone(script), i, i+2*size)
			if play(less, w, func(string, ...any) {}) != nil {
				script = less
			} else {
				i += 2
			}
		}
	}
	return script
}

// TestFrameLeftByPanic has a function that is not instrumented be where one was that a panic went
// through.
func TestFrameLeftByPanic(t *testing.T) {
	instrumented, foreign := &code{0x10000, 32, true}, &code{0x20000, 32, false}
	th := newThread()
	th.call(instrumented, 0)
	th.call(instrumented, 1)
	if err := th.check(1, false); err != nil {
		t.Fatal(err)
	}
	th.call(instrumented, 0)
	th.recover(1)
	th.call(foreign, 2)
	if err := th.check(1, true); err != nil {
		t.Error(err)
	}
}

// TestDeepRecursion goes down and up again far beyond what is kept of a stack.
func TestDeepRecursion(t *testing.T) {
	c := &code{0x10000, 32, true}
	th := newThread()
	for depth := 1; depth <= 1000; depth++ {
		th.call(c, depth%3)
		got, cut := chain(th.callers(depth-1, false))
		if len(got) != depth || cut {
			t.Fatalf("depth %d: %d callers, cut off %v", depth, len(got), cut)
		}
	}
	for len(th.calls) > 1 {
		th.ret()
		if err := th.check(len(th.calls)-1, false); err != nil {
			t.Fatal(err)
		}
	}
	if got, cut := chain(th.callers(0, false)); len(got) != 1 || cut {
		t.Errorf("%d callers in the end, cut off %v", len(got), cut)
	}
}

// TestWalkIsBounded begins where nothing is known of a deep stack, and too many steps have been
// made.
func TestWalkIsBounded(t *testing.T) {
	for depth := 1; depth < 4*stack.MaxDepth; depth++ {
		th := newThread()
		th.f.walk.budget = 0
		c := &code{0x30000, 16, depth%2 == 0}
		for range depth {
			th.call(c, 0)
		}
		got, cut := chain(th.callers(depth-1, false))
		if len(got) != min(depth, 2*stack.MaxDepth) || cut != (depth > 2*stack.MaxDepth) {
			t.Fatalf("depth %d: %d callers, cut off %v", depth, len(got), cut)
		}
	}
}

// TestWalkAnew has it told of deep stacks of which nothing is known.
func TestWalkAnew(t *testing.T) {
	f := new(Accessor).NewFrames()
	for _, depth := range []int{0, 1, stack.MaxDepth - 1, stack.MaxDepth, stack.MaxDepth + 1, 1000,
		20000} {
		w := f.WalkAll()
		for i := range depth {
			w.Up(uintptr(0x60000+i%16), 0)
		}
		got, cut := chain(w.End())
		if len(got) != depth || cut {
			t.Fatalf("depth %d: %d callers, cut off %v", depth, len(got), cut)
		}
		for i, pc := range got {
			if pc != uintptr(0x60000+i%16) {
				t.Fatalf("depth %d: caller %d is %#x", depth, i, pc)
			}
		}
	}
}

// TestSites has many sites come round in the few places for them.
func TestSites(t *testing.T) {
	f := new(Accessor).NewFrames()
	r := rand.New(rand.NewPCG(1, 1))
	node := datarace.Context(0, 0x40000)
	alike := node // another that has the set of none with each return address
	for i := uintptr(1); alike%siteSets != 0; i++ {
		alike = datarace.Context(node, 0x40000+i)
	}
	for range 20000 {
		parent, pc := [...]uint32{0, node, alike}[r.IntN(3)], 0x50000+uintptr(r.IntN(400))
		if got, want := f.Site(parent, pc), datarace.Context(parent, pc); got != want ||
			datarace.PC(got) != pc || datarace.Caller(got) != parent {
			t.Fatalf("site %d of %#x below %d, want %d", got, pc, parent, want)
		}
	}
}

// TestTwoSitesOfASet has two accesses that have one set by turns: hooks find both. A third one puts
// out the one that is there for longer.
func TestTwoSitesOfASet(t *testing.T) {
	f := new(Accessor).NewFrames()
	node := datarace.Context(0, 0x70000)
	var pcs []uintptr // of accesses that have one set
	for pc := uintptr(0x70000); len(pcs) < 3; pc++ {
		if setOf(node, pc) == setOf(node, 0x70000) {
			pcs = append(pcs, pc)
		}
	}
	f.Enter(48)
	f.SetOuter(0, node)
	found := func(pc uintptr) bool {
		site, caller := f.Quick(48, pc)
		if site == 0 {
			site = f.Second(caller, pc)
		}
		if site != 0 && site != datarace.Context(node, pc) || caller != node {
			t.Errorf("the site of %#x is %d below %d", pc, site, caller)
		}
		return site != 0
	}
	for _, pc := range pcs[:2] {
		f.Site(node, pc)
	}
	for i := range 6 {
		if !found(pcs[i%2]) {
			t.Errorf("access %d is not found", i)
		}
		f.Known(node, pcs[i%2])
	}
	f.Known(node, pcs[2]) // nobody has asked for that site
	if f.Site(node, pcs[2]); found(pcs[0]) || !found(pcs[1]) || !found(pcs[2]) {
		t.Error("the site that has been there for longest is not the one that goes")
	}
	if site, caller := f.Quick(64, pcs[1]); site != 0 || caller != 0 {
		t.Error("the site is that of another function")
	}
}
