// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// A mop is one side of a data race.
type mop struct {
	wrote bool
	site  uint32
	life  *datarace.GoroutineRecord
	test  *test // that it is charged to
}

// A clash is two accesses that raced: the reports of races between two places, as programPlace says, are as
// many as the pairs of tests that they were found in, but ten at most.
type clash struct {
	next  *clash
	place [2]uintptr
	told  [maxTold][2]*test
	tells int
}

// clashes are all that were reported, and told counts the reports. They are guarded by found.lock.
var (
	clashes [512]*clash
	told    uint64
)

// dataRace reports that an access of g races with an earlier one.
func (g *Goroutine) dataRace(kind int, site uint32, r *datarace.Race) {
	own, rival := g.memory.Tests()
	second := &mop{kind&datarace.Write != 0, site, g.memory.Record(), testAt(own)}
	first := &mop{r.Wrote, r.Site(), g.memory.RacedWith(), testAt(rival)}
	ready()
	tells := false
	found.lock.Lock()
	if !over() && !ruledOut(first.site, second.site) &&
		!excused(first.test, second.test, expectDataRace) {
		first.test, second.test = first.test.charged(), second.test.charged()
		charge(first.test, second.test)
		if tells = isNew(first, second); tells {
			told++
			tell(dataRaceMessage(r.Addr, first, second))
		}
	}
	found.lock.Unlock()
	if tells {
		wake()
	}
}

func testAt(p uintptr) *test { return *(**test)(unsafe.Pointer(&p)) }

// places remembers programPlace, by site; it is guarded by found.lock.
var places [1 << 8]struct {
	site  uint32
	place uintptr
}

// programPlace stands for the code that makes an access: where the program calls the standard library, and
// what is called there, if that makes it. Many an access is made by one function, such as runtime.slicecopy.
func programPlace(site uint32) (place uintptr) {
	known := &places[site%uint32(len(places))]
	if known.site == site {
		return known.place
	}
	for s := site; s > datarace.CutOff; s = datarace.Caller(s) {
		pc := datarace.PC(s)
		place = place*31 ^ pc
		if !allStd(pc) {
			break
		}
	}
	known.site, known.place = site, place
	return place
}

// allStd reports whether all functions at a return address, inlined ones included, are the standard library's.
func allStd(pc uintptr) bool {
	for i := 0; ; i++ {
		fr, ok := host.FrameAt(pc, i)
		switch {
		case !ok:
			return i > 0
		case !isStd(fr) && !hasPrefix(fr.File, "commute/"):
			return false
		}
	}
}

// isNew reports whether two accesses are to be reported, and notes that they are.
func isNew(a, b *mop) bool {
	place := [2]uintptr{programPlace(a.site), programPlace(b.site)}
	tests := [2]*test{a.test, b.test}
	if place[0] > place[1] || place[0] == place[1] && tests[0].order() > tests[1].order() {
		place[0], place[1] = place[1], place[0]
		tests[0], tests[1] = tests[1], tests[0]
	}
	bucket := &clashes[(place[0]*31+place[1])%uintptr(len(clashes))]
	c := *bucket
	for c != nil && c.place != place {
		c = c.next
	}
	if c == nil {
		c = (*clash)(host.Alloc(unsafe.Sizeof(clash{})))
		c.next, c.place = *bucket, place
		*bucket = c
	}
	for i := range c.tells {
		if c.told[i] == tests {
			return false
		}
	}
	if c.tells == maxTold {
		return false
	}
	c.told[c.tells] = tests
	c.tells++
	return true
}

// ruledOut reports whether a line of the suppressions file matches a frame of one of two sites.
func ruledOut(a, b uint32) (hit bool) {
	for _, site := range [...]uint32{a, b} {
		hit = frameList{site: site}.ruledOut() || hit
	}
	return hit
}

// printDataRace writes a report, as the race detector does, and then where the memory is from.
func printDataRace(b *buffer, addr uintptr, first, second *mop) {
	b.texts(ruler, "WARNING: DATA RACE\n")
	second.print(b, "Write", "Read", addr)
	b.text("\n")
	first.print(b, "Previous write", "Previous read", addr)
	second.origin(b)
	if first.life.Goid != second.life.Goid {
		first.origin(b)
	}
	printHome(b, addr)
	b.text(ruler)
}

func (m *mop) print(b *buffer, write, read string, addr uintptr) {
	if m.wrote {
		b.text(write)
	} else {
		b.text(read)
	}
	b.text(" at ")
	b.address(addr)
	b.text(" by ")
	m.who(b, "main goroutine", "goroutine ")
	b.text(":\n")
	frames(b, m.site)
}

func (m *mop) who(b *buffer, main, other string) {
	if m.life.Goid == 1 {
		b.text(main)
		return
	}
	b.text(other)
	b.uint(m.life.Goid)
}

// frames writes the stack of a site.
func frames(b *buffer, site uint32) {
	if l := (frameList{site: site}); l.write(b, 0, true) == 0 {
		b.text("  [no stack]\n")
	}
	if site > datarace.CutOff && isCut(site) {
		b.text("  ...additional frames elided...\n")
	}
}

func frameLine(b *buffer, fr host.Frame) {
	b.text("  ")
	function(b, fr.Func)
	b.texts("()\n      ", stripped(fr.File), ":")
	b.int(int64(fr.Line))
	b.text(" +")
	b.hex(uint64(fr.Offset))
	b.text("\n")
}

// origin writes where a goroutine was started.
func (m *mop) origin(b *buffer) {
	if m.life.Goid == 1 {
		return
	}
	b.text("\nGoroutine ")
	b.uint(m.life.Goid)
	if m.life.Ended.Load() != 0 {
		b.text(" (finished)")
	} else {
		b.text(" (running)")
	}
	s := stackOf(m.life.Origin)
	if m.life.Creator == aTimer {
		b.text(" was created by a timer (time.AfterFunc)\n")
		return
	}
	b.text(" created at:\n")
	if s != nil {
		frameList{s: s}.write(b, s.elided, true)
	}
}

// homeOf is the site where the block of the heap was allocated that an address is in, 0 if that is not known.
func homeOf(addr uintptr) uint32 {
	k := lookAt(addr)
	return k.home
}

// printHome writes what is known of the memory at addr.
func printHome(b *buffer, addr uintptr) { home(b, addr, b.at(addr).home, false) }

// home is printHome for memory that was allocated at a site; nothing is written of a block that was allocated elsewhere since.
// Several says that it's not the only one in the report.
func home(b *buffer, addr uintptr, site uint32, several bool) {
	k := b.at(addr)
	v, global := declaration{}, false
	if !k.heap {
		v, global = globalAt(addr)
	}
	if !global && (site <= datarace.CutOff || k.home != site) {
		return
	}
	b.text("\nLocation")
	if several {
		b.text(" of ")
		b.address(addr)
	}
	if global {
		b.texts(": variable ", v.name, ", declared at ")
		b.texts(stripped(v.pos), "\n")
		return
	}
	b.text(": heap block of ")
	b.uint(uint64(k.size))
	b.text(" bytes at ")
	b.address(k.start)
	b.text(", allocated at:\n")
	top := true // what allocates for the program is not shown
	eachFrame(site, func(fr host.Frame) bool {
		if top = top && (hasPrefix(fr.Func, "runtime.") || hasPrefix(fr.Func, "internal/runtime/")); !top {
			frameLine(b, fr)
		}
		return true
	})
}
