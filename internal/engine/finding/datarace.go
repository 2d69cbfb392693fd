// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/event"
)

// A reportedPair is two accesses that raced. Races between two places, as programPlace has them,
// are reported once for each pair of tests, and MaxReports times at most.
type reportedPair struct {
	next        *reportedPair
	place       [2]uintptr
	reportedFor [report.MaxReports][2]*tests.Test
	reports     int
}

// reportedPairs are all that were reported, by a hash of their places, and dataRaces counts the
// reports. found.lock guards both.
var (
	reportedPairs [512]*reportedPair
	dataRaces     uint64
)

// DataRace reports that an access by a thread races with an earlier one.
func DataRace(by *datarace.Thread, kind event.Access, site uint32, r *datarace.Race) {
	own, rival := by.Tests()
	second := &report.Access{Wrote: kind&datarace.Write != 0, Site: site, Goroutine: by.Record(),
		Test: tests.TestOf(own)}
	first := &report.Access{Wrote: r.Wrote, Site: r.Site(), Goroutine: by.RacedWith(),
		Test: tests.TestOf(rival)}
	option.Ready()
	posted := false
	found.lock.Lock()
	if !isClosed() && !suppressedAccesses(r.Addr, first, second) &&
		!tests.Excused(first.Test, second.Test, tests.ExpectDataRace) {
		first.Test, second.Test = first.Test.Charged(), second.Test.Charged()
		tests.Charge(first.Test, second.Test)
		if posted = isNew(first, second); posted {
			dataRaces++
			tests.Tell(first.Test, second.Test)
			postReport(dataRaceMessage(r.Addr, first, second).of(first.Test, second.Test))
		}
	}
	found.lock.Unlock()
	if posted {
		Wake()
	}
}

// places remembers programPlace, by site; found.lock guards it.
var places [1 << 8]struct {
	site  uint32
	place uintptr
}

// programPlace stands for the code that makes an access. If the standard library makes it, that is
// where the program calls the library, and what it calls there. Many accesses are made by one
// function, such as runtime.slicecopy.
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

// allStd reports whether all functions at a return address, inlined ones included, are the standard
// library's.
func allStd(pc uintptr) bool {
	for i := 0; ; i++ {
		fr, ok := host.FrameAt(pc, i)
		switch {
		case !ok:
			return i > 0
		case !source.IsStd(fr) && !text.HasPrefix(fr.File, "commute/"):
			return false
		}
	}
}

// isNew reports whether two accesses are to be reported, and notes that they are.
func isNew(a, b *report.Access) bool {
	place := [2]uintptr{programPlace(a.Site), programPlace(b.Site)}
	tests := [2]*tests.Test{a.Test, b.Test}
	if place[0] > place[1] || place[0] == place[1] && tests[0].ID() > tests[1].ID() {
		place[0], place[1] = place[1], place[0]
		tests[0], tests[1] = tests[1], tests[0]
	}
	bucket := &reportedPairs[(place[0]*31+place[1])%uintptr(len(reportedPairs))]
	c := *bucket
	for c != nil && c.place != place {
		c = c.next
	}
	if c == nil {
		c = (*reportedPair)(host.Alloc(unsafe.Sizeof(reportedPair{})))
		c.next, c.place = *bucket, place
		*bucket = c
	}
	for i := range c.reports {
		if c.reportedFor[i] == tests {
			return false
		}
	}
	if c.reports == report.MaxReports {
		return false
	}
	c.reportedFor[c.reports] = tests
	c.reports++
	return true
}

// suppressedAccesses reports whether a line of the suppressions file holds for a data race.
func suppressedAccesses(addr uintptr, a, b *report.Access) bool {
	if len(option.Suppressions) == 0 {
		return false
	}
	hit := option.About(aboutData)
	if v, global := source.GlobalAt(addr); global {
		hit = option.Suppressed(v.Name) || hit
	} else if name := report.RacedVariable(addr, a, b); name != "" {
		hit = option.Suppressed(name) || hit
	}
	return suppressedSites(a.Site, b.Site) || hit
}

// suppressedSites reports whether a line of the suppressions file matches a frame of one of two
// sites. All lines that match are marked as used.
func suppressedSites(a, b uint32) (hit bool) {
	for _, site := range [...]uint32{a, b} {
		hit = suppressedFrames(stack.FrameList{Site: site}) || hit
	}
	return hit
}
