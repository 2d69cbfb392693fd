// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/check/avp"
	made "github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// large writes a trace of many windows, in which some transactions can be broken.
func large(t *testing.T) string {
	t.Helper()
	list, err := made.All(made.Params{Shape: "long", Events: 3000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "large.std")
	write(t, name, &tracegen.Trace{Events: list, Mutexes: true})
	return name
}

// byWindows are options by which a file of large has many windows, and what commute analyze is
// told.
var (
	byWindows = Options{Checks: []string{"avp", "frontier"}, All: true,
		AVP: avp.Options{Window: 200, Budget: 2000}}
	byWindowsFlags = []string{"-check=avp,frontier", "-all", "-window=200", "-budget=2000"}
)

// inWindows has attempts to judge windows do something first, and counts them by window.
func inWindows(t *testing.T, do func(n, attempt int)) map[int]int {
	t.Helper()
	var mu sync.Mutex
	asked := make(map[int]int)
	old := duringWindow
	duringWindow = func(_ string, n int) {
		mu.Lock()
		attempt := asked[n]
		asked[n]++
		mu.Unlock()
		do(n, attempt)
	}
	t.Cleanup(func() { duringWindow = old })
	return asked
}

// TestOneLargeTrace has the windows of one trace judged at once: the first waits for a second. What
// is found, and counted, is what commute analyze finds.
func TestOneLargeTrace(t *testing.T) {
	if cap(slots) < 2 {
		t.Skip("there is one processor")
	}
	file := large(t)
	second := make(chan struct{})
	var once sync.Mutex
	begun := 0
	asked := inWindows(t, func(int, int) {
		once.Lock()
		if begun++; begun == 2 {
			close(second)
		}
		once.Unlock()
		<-second
	})
	got := through(t, byWindows, file)
	same(t, got, analyzed(t, append(byWindowsFlags, file)...))
	if len(asked) < 20 || got.Findings < 20 {
		t.Errorf("%d windows, %v", len(asked), got.Summary)
	}
	for n, times := range asked {
		if times != 1 {
			t.Errorf("window %d was judged %d times", n, times)
		}
	}
}

// TestWindowsFail has attempts to judge windows panic: of some once, of others each time. Who
// analyzes the file judges those. What is found is the same.
func TestWindowsFail(t *testing.T) {
	file := large(t)
	want := through(t, byWindows, file)
	asked := inWindows(t, func(n, attempt int) {
		if n%3 == 0 || n%3 == 1 && attempt == 0 {
			panic("the test wants it")
		}
	})
	if got := through(t, byWindows, file); got.text != want.text {
		t.Errorf("%v\nwant\n%v", got.Summary, want.Summary)
	}
	for n, times := range asked {
		if want := []int{attempts, 2, 1}[n%3]; times != want {
			t.Errorf("window %d was tried %d times, want %d", n, times, want)
		}
	}
}

// TestSplitFails has the attempts to read a file panic, before it is opened and when all windows
// were told of. No window is judged twice.
func TestSplitFails(t *testing.T) {
	file := large(t)
	want := through(t, byWindows, file)
	asked := inWindows(t, func(int, int) {})
	failing(t, func(_ string, n int) bool { return n == 0 || n == 2 })
	if got := through(t, byWindows, file); got.text != want.text {
		t.Errorf("%v\nwant\n%v", got.Summary, want.Summary)
	}
	for n, times := range asked {
		if times != 1 {
			t.Errorf("window %d was judged %d times", n, times)
		}
	}
	if len(asked) < 20 {
		t.Errorf("%d windows", len(asked))
	}
}

// TestLargeWindows has windows be too large to be handed out, and results to be handed on.
func TestLargeWindows(t *testing.T) {
	file := large(t)
	want := through(t, byWindows, file)
	defer func(old int) { maxElement = old }(maxElement)
	for _, maxElement = range []int{10, 3000, 4500} {
		asked := inWindows(t, func(int, int) {})
		if got := through(t, byWindows, file); got.text != want.text {
			t.Errorf("%v\nwant\n%v", got.Summary, want.Summary)
		}
		t.Logf("at most %d bytes: %d windows", maxElement, len(asked))
	}
}

// TestCorruptWindows has a file with many windows end in the middle of a line. It is one error with
// its name, and what was found before is there.
func TestCorruptWindows(t *testing.T) {
	file := large(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text[:2*len(text)/3], "\nT1|x(\n"...)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	asked := inWindows(t, func(int, int) {})
	got := through(t, byWindows, file)
	want := analyzed(t, append(byWindowsFlags, file)...)
	same(t, got, want)
	last := got.lines[len(got.lines)-1]
	if got.Failed != 1 || len(asked) < 10 || !strings.HasPrefix(last.Error, file) {
		t.Errorf("%d windows, %v", len(asked), got.Summary)
	}
}
