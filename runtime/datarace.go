// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

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

// dataRace reports that an access by a thread races with an earlier one.
func dataRace(by *datarace.Thread, kind int, site uint32, r *datarace.Race) {
	own, rival := by.Tests()
	second := &mop{kind&datarace.Write != 0, site, by.Record(), testAt(own)}
	first := &mop{r.Wrote, r.Site(), by.RacedWith(), testAt(rival)}
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
