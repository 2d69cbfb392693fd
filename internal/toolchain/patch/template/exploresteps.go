// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_explore

package runtime

// The steps of a run: what the holder of the token does between two points that others may notice,
// in the library, too. Their line comes when the run is over, unless something else may have made a
// difference:
//
//	t <deed> ...
//
// A deed is a letter with numbers after it, with dots between, all decimal but for names:
//
//	m<task>.<name>                 a task is made; the first one is that which begins
//	r<task>                        it can run
//	c<object>, v<object>           the object is changed, or only read
//	p<ordinal>.<kind>.<hot>.<n>    the step ends at a point, after n operations that were none
//	w<n>                           it ends where the task can't go on
//	g<task>                        who goes on

import "unsafe"

// commute_touch comes before the current goroutine changes what is at an address.
//
//go:linkname commute_touch
func commute_touch(addr unsafe.Pointer) { commute_use(addr, true) }

// commute_use comes where the current goroutine uses what is at an address.
func commute_use(addr unsafe.Pointer, changes bool) {
	x := &commute_explore
	if !x.control.Steps.On() {
		return
	}
	gp := getg()
	if uintptr(addr)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return // no other goroutine has it
	}
	commute_share(uintptr(addr), changes)
}

// commute_share notes that the holder uses something.
func commute_share(what uintptr, changes bool) {
	x := &commute_explore
	if !x.control.Steps.On() {
		return
	}
	if gp := getg(); gp != gp.m.curg || !commute_controlled(gp) || x.holder.ptr() != gp {
		x.control.Steps.Break()
		return
	}
	mp := acquirem()
	x.lock.Lock()
	x.control.Steps.Use(what, changes)
	x.lock.Unlock()
	releasem(mp)
}

// commute_useChannel comes where the current goroutine operates on a channel. How many elements
// that has may be seen without an operation, by any goroutine.
func commute_useChannel(c *hchan) {
	if c == nil || !commute_explore.control.Steps.On() {
		return
	}
	commute_use(unsafe.Pointer(c), true)
	if c.timer != nil {
		commute_explore.control.Steps.Break()
	}
	if c.dataqsiz > 0 {
		commute_share(uintptr(commute_explore_All), true)
	}
}

// commute_looked comes where the current goroutine has looked at the clock. Package testing does so
// for what it prints alone.
//
//go:nosplit
func commute_looked() {
	if x := &commute_explore; x.ownClock == 0 {
		x.control.Steps.Break()
	}
}

// commute_ignoreClock says by 1 that package testing looks at the clock, and by -1 that it no
// longer does.
//
//go:linkname commute_ignoreClock
func commute_ignoreClock(by int32) {
	if x := &commute_explore; x.holder.ptr() == getg() {
		x.ownClock += by
	}
}

// commute_seeAll comes where the current goroutine looks at all others.
func commute_seeAll() { commute_share(uintptr(commute_explore_All), true) }

// commute_tellSteps writes the steps.
func commute_tellSteps() {
	steps := &commute_explore.control.Steps
	n := steps.Len()
	if n == 0 {
		return
	}
	commute_logText("t")
	for i := range n {
		d := steps.At(i)
		commute_logByte(' ')
		switch d.Did {
		case commute_explore_Makes:
			commute_logDeed('m', d.ID)
			var line commute_line
			line.text(".")
			line.number(d.Value, 16)
			for _, b := range line.p[:line.n] {
				commute_logByte(b)
			}
		case commute_explore_Readies:
			commute_logDeed('r', d.ID)
		case commute_explore_Changes:
			commute_logDeed('c', d.ID)
		case commute_explore_Reads:
			commute_logDeed('v', d.ID)
		case commute_explore_Comes:
			commute_logDeed('p', d.ID)
			commute_logDeed('.', uint32(d.Kind))
			if d.Hot {
				commute_logText(".1")
			} else {
				commute_logText(".0")
			}
			commute_logDeed('.', uint32(d.Value))
		case commute_explore_Waits:
			commute_logDeed('w', uint32(d.Value))
		case commute_explore_Goes:
			commute_logDeed('g', d.ID)
		}
	}
	commute_logText("\n")
	commute_flushLog()
}

func commute_logDeed(letter byte, n uint32) {
	commute_logByte(letter)
	commute_logNumber(uint64(n))
}
