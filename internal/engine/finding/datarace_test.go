// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

func TestDataRaceReport(t *testing.T) {
	restore(t)
	option.Current.Strip = "/home/user/"
	put, get, origin := fixture.AppMain()
	fixture.Global("example.com/m", "cache", "/home/user/app/cache.go:3")
	for _, test := range []struct {
		file          string
		addr          uintptr
		first, second report.Access
	}{
		{"main.txt", 0xc000012340,
			report.Access{Wrote: true, Site: fixture.SiteOf(put),
				Goroutine: fixture.RecordOf(7, 1, origin, 1)},
			report.Access{Wrote: false, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(1, 0, nil, 0)}},
		{"mainfirst.txt", 0xc000012340,
			report.Access{Wrote: false, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(1, 0, nil, 0)},
			report.Access{Wrote: true, Site: fixture.SiteOf(put),
				Goroutine: fixture.RecordOf(8, 7, origin, 0)}},
		{"timer.txt", 0xc000012340,
			report.Access{Wrote: true, Site: fixture.SiteOf(put),
				Goroutine: fixture.RecordOf(7, datarace.ByTimer, put, 1)},
			report.Access{Wrote: true, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(8, datarace.ByTimer, nil, 0)}},
		{"global.txt", 0x5010,
			report.Access{Wrote: false, Site: fixture.SiteOf(put),
				Goroutine: fixture.RecordOf(7, 1, origin, 0)},
			report.Access{Wrote: true, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(8, 1, origin, 1)}},
		{"nostack.txt", 0x5030,
			report.Access{Wrote: true, Site: 0, Goroutine: fixture.RecordOf(7, 0, nil, 1)},
			report.Access{Wrote: true, Site: datarace.CutOff,
				Goroutine: fixture.RecordOf(8, 0, nil, 0)}},
		{"cutoff.txt", 0x5030,
			report.Access{Wrote: true, Site: datarace.Context(datarace.CutOff, put.Frames()[0]),
				Goroutine: fixture.RecordOf(7, 0, origin, 1)},
			// which began anew as a test
			report.Access{Wrote: true, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(7, 0, origin, 1)}},
		{"field.txt", 0xc000012340, // what the two lines write, but not what they read, is known
			report.Access{Wrote: true, Site: fixture.SiteOf(put),
				Goroutine: fixture.RecordOf(7, 1, origin, 0)},
			report.Access{Wrote: true, Site: fixture.SiteOf(get),
				Goroutine: fixture.RecordOf(8, 1, origin, 1)}},
	} {
		if test.file == "field.txt" {
			fixture.Lines("cache.go", 12, 22)
		}
		b := text.Buffers.Get()
		b.Reset()
		report.PrintDataRace(b, test.addr, &test.first, &test.second)
		capture.Golden(t, "datarace/"+test.file, fixture.Moved(b.String()))
		text.Buffers.Put(b)
	}
}

// TestFramesOfSite ends where the program does, and leaves out what commute put into it.
func TestFramesOfSite(t *testing.T) {
	put, _, _ := fixture.AppMain()
	goexit := datarace.Context(datarace.Context(0, put.Frames()[1]), goexitPC(t))
	site := datarace.Context(datarace.Context(goexit, put.Frames()[1]), put.Frames()[0])
	var names []string
	stack.EachFrame(site, func(fr host.Frame) bool {
		names = append(names, fr.Func[strings.LastIndexByte(fr.Func, '.')+1:])
		return true
	})
	if got := strings.Join(names, " "); got != "AppPut AppMain" {
		t.Errorf("frames %s", got)
	}
	n := 0
	stack.EachFrame(site, func(host.Frame) bool {
		n++
		return false
	})
	if n != 1 {
		t.Errorf("%d frames after the first was enough", n)
	}
}

// goexitPC is the return address that all goroutines have at the end.
func goexitPC(t *testing.T) uintptr {
	found := make(chan uintptr)
	go func() {
		var pcs [stack.MaxDepth]uintptr
		n, _ := host.Callers(pcs[:], 0)
		found <- pcs[n-1]
	}()
	pc := <-found
	if fr, ok := host.FrameAt(pc, 0); !ok || fr.Func != "runtime.goexit" {
		t.Fatalf("the outermost frame is %v", fr)
	}
	return pc
}

// forgetPairs forgets the pairs that were reported, for the time of a test.
func forgetPairs(t *testing.T) {
	saved, n := reportedPairs, dataRaces
	reportedPairs, dataRaces = [len(reportedPairs)]*reportedPair{}, 0
	t.Cleanup(func() { reportedPairs, dataRaces = saved, n })
}

// TestIsNew reports each pair of places once for each pair of tests, and ten times at most.
func TestIsNew(t *testing.T) {
	forgetPairs(t)
	var list [30]tests.Test
	for i := range list {
		list[i].Number = uint32(i)
	}
	access := func(pc uintptr, number int) *report.Access {
		return &report.Access{Site: datarace.Context(fixture.Somewhere(pc), fixture.Nowhere(pc)),
			Test: &list[number]}
	}
	const a, b = 0x1000, 0x1008
	for i, step := range []struct {
		a, b *report.Access
		want bool
	}{
		{access(a, 0), access(b, 0), true},
		{access(a, 0), access(b, 0), false},
		{access(b, 0), access(a, 0), false},
		{access(a, 1), access(b, 0), true},
		{access(b, 0), access(a, 1), false},
		{access(b, 1), access(a, 0), true},
		{access(a, 1), access(b, 1), true},
		{access(a, 0), access(a, 0), true}, // another pair of places
		{access(a, 0), access(a, 1), true},
		{access(a, 1), access(a, 0), false},
		// and one in the same bucket
		{access(a, 0), access(b+31*uintptr(len(reportedPairs)), 0), true},
		{access(a, 0), access(b, 0), false},
		{access(a, 0), access(b+31*uintptr(len(reportedPairs)), 0), false},
		{access(a, 2),
			&report.Access{Site: datarace.Context(fixture.Somewhere(1), b), Test: &list[2]}, true},
		{access(a, 2), access(b, 2), false}, // other callers, the same places
	} {
		if got := isNew(step.a, step.b); got != step.want {
			t.Errorf("step %d: new is %v", i, got)
		}
	}
	n := 0
	for test := range list {
		if isNew(access(0x2000, test), access(0x2008, test)) {
			n++
		}
	}
	if n != report.MaxReports {
		t.Errorf("%d reports of two places, want %d", n, report.MaxReports)
	}
}

// TestIsNewInLibrary tells accesses apart that one function of the standard library makes, by where
// the program calls that, and not by what calls the program's function.
func TestIsNewInLibrary(t *testing.T) {
	forgetPairs(t)
	within := reflect.ValueOf(strings.ToUpper).Pointer() + 1
	access := func(pcs ...uintptr) *report.Access {
		site := uint32(0)
		for _, pc := range slices.Backward(pcs) {
			if pc != within {
				pc = fixture.Nowhere(pc)
			}
			site = datarace.Context(site, pc)
		}
		return &report.Access{Site: site}
	}
	const a, b, c, d, main, other = 0x1000, 0x1008, 0x1010, 0x1018, 0x1020, 0x1028
	for i, step := range []struct {
		a, b *report.Access
		want bool
	}{
		{access(within, a, main), access(within, b, main), true},
		{access(within, c, main), access(within, d, main), true},
		{access(within, c, main), access(within, b, main), true},
		{access(within, c, other), access(within, b, main), false},
		{access(within, within, a, main), access(within, b, main), true},
		{access(within, b, other), access(within, a, other), false},
	} {
		if got := isNew(step.a, step.b); got != step.want {
			t.Errorf("step %d: new is %v", i, got)
		}
	}
}

func TestDataRaceSuppressed(t *testing.T) {
	restore(t)
	put, get, _ := fixture.AppMain()
	for _, test := range []struct {
		rules string
		want  bool
		used  uint64
	}{
		{"", false, 0},
		{"AppGet\n", true, 1},
		{"# AppGet\nnothing\nAppPut$\n", true, 2},
		{"AppMain\ncache.go\nmain.go\n", true, 7},
		{"^/home/user/app/*.go$", true, 1},
		{"^app\nGet$x\n", false, 0},
	} {
		fixture.Suppress(test.rules)
		if got := suppressedSites(fixture.SiteOf(get), fixture.SiteOf(put)); got != test.want ||
			usedRules() != test.used {
			t.Errorf("%q: suppressed is %v, rules used %b", test.rules, got, usedRules())
		}
	}
	fixture.Suppress("AppPut")
	if suppressedSites(fixture.SiteOf(get), 0) || !suppressedSites(0, fixture.SiteOf(put)) {
		t.Error("one of the accesses is not looked at")
	}
}
