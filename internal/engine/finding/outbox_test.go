// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/report"
)

// written has what is written to the log collected, for the time of a test; what is not to be is
// refused.
func written(t *testing.T, refuse func(n int) bool) *strings.Builder {
	restore(t)
	option.Current.Out, option.Current.Log = 7, "the log"
	var log strings.Builder
	n := 0
	host.Output = func(fd uintptr, p []byte) bool {
		n++
		if fd != 7 || refuse(n) {
			return false
		}
		log.Write(p)
		return true
	}
	t.Cleanup(func() { host.Output, option.Current.Log = nil, "" })
	return &log
}

// clashAt posts the report of a data race at an address.
func clashAt(addr uintptr) {
	m := report.Access{Wrote: true, Site: 0, Goroutine: fixture.RecordOf(7, 1, nil, 0)}
	found.lock.Lock()
	postReport(dataRaceMessage(addr, &m, &m))
	found.lock.Unlock()
}

// TestMessagesInOrder has many messages posted by many, while their texts are made and written by
// one: all are written, those of each poster in order, and none in another.
func TestMessagesInOrder(t *testing.T) {
	log := written(t, func(int) bool { return false })
	const posters, each = 8, 200
	var wg sync.WaitGroup
	var posting atomic.Int32
	posting.Store(posters)
	for p := range posters {
		wg.Go(func() {
			for i := range each {
				clashAt(uintptr(p+1)<<32 | uintptr(i))
			}
			posting.Add(-1)
		})
	}
	for posting.Load() > 0 {
		Wake()
		runtime.Gosched()
	}
	wg.Wait()
	Wake()
	if Posted() || output.Unwritten() {
		t.Error("something is left")
	}
	reports := strings.SplitAfter(log.String(), report.Ruler)
	var next [posters]int
	n := 0
	for i := 1; i < len(reports); i += 2 {
		var addr uint64
		if _, err := fmt.Sscanf(reports[i], "WARNING: DATA RACE\nWrite at %v by",
			&addr); err != nil {
			t.Fatalf("%v in %s", err, reports[i])
		}
		p := int(addr>>32) - 1
		if int(uint32(addr)) != next[p] {
			t.Fatalf("report %#x, want the %d. of this poster", addr, next[p])
		}
		next[p]++
		n++
	}
	if n != posters*each {
		t.Errorf("%d reports, want %d", n, posters*each)
	}
}

// TestUnwritten has some texts not be written: how many is said at the end, once.
func TestUnwritten(t *testing.T) {
	written(t, func(n int) bool { return n%3 == 0 })
	for i := range 7 {
		clashAt(uintptr(0x1000 + i))
		Wake()
	}
	text := capture.Stderr(t, func() {
		for range 2 {
			LastWords()
		}
	})
	want := "commute: 2 reports could not be written to the log (is the disk full?)\n"
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
	found.lock.Lock()
	post(newMessage(kindSummary))
	post(newMessage(kindSummary))
	found.lock.Unlock()
	text = capture.Stderr(t, func() {
		Wake()
		LastWords()
	})
	want = "commute: the summary could not be written to the log (is the disk full?)\n"
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestOneMakesTexts has two take messages: as long as one has not handed on the text of a message,
// the other gets none.
func TestOneMakesTexts(t *testing.T) {
	log := written(t, func(int) bool { return false })
	clashAt(0x1000)
	clashAt(0x2000)
	m := Take()
	if m == nil || Take() != nil {
		t.Fatal("a message is not had by one alone")
	}
	m.MakeText()
	m.Done()
	Wake()
	text := log.String()
	first, second := strings.Index(text, "Write at 0x000000001000"), strings.Index(text,
		"Write at 0x000000002000")
	if first < 0 || second < first {
		t.Errorf("the reports are %s", text)
	}
}

// TestLastWords counts, at the end, the reports that have no text yet, and those whose text waits
// to be written.
func TestLastWords(t *testing.T) {
	written(t, func(int) bool { return false })
	for i := range 3 {
		clashAt(uintptr(0x1000 + i))
	}
	m := Take()
	m.MakeText()
	m.Done()
	text := capture.Stderr(t, func() { LastWords() })
	want := "commute: 3 reports could not be written to the log (is the disk full?)\n"
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
