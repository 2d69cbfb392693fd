// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// golden are the reports that other packages' tests compare with.
func golden(t *testing.T) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"../verdict/testdata/*.txt", "../engine/finding/testdata/*.txt",
		"../engine/finding/testdata/sections/*.txt", "../engine/finding/testdata/datarace/*.txt"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	return texts
}

// TestReports reads all reports of the golden files. Each has what identifies it.
func TestReports(t *testing.T) {
	kinds := make(map[string]int)
	for _, text := range golden(t) {
		list := Reports([]byte(text))
		if want := strings.Count("\n"+text, "\n"+ruler+"\nWARNING: "); len(list) != want {
			t.Errorf("%d reports, want %d:\n%s", len(list), want, text)
		}
		for _, r := range list {
			kinds[r.Kind+" "+r.Evidence]++
			if text[r.Start:r.Start+len(r.Text)] != string(r.Text) {
				t.Errorf("a report at %d is not there:\n%s", r.Start, text)
			}
			if r.Evidence == "" {
				continue
			}
			needed := r.Places
			if r.Kind == kindCheckAct {
				needed = append(slices.Clone(needed), r.Between)
			}
			if len(needed) == 0 {
				t.Errorf("no places of:\n%s", r.Text)
			}
			for _, p := range needed {
				if !strings.Contains(p, ".go") && !strings.Contains(string(r.Text), "stack") {
					t.Errorf("a place is %q of:\n%s", p, r.Text)
				}
			}
			if (r.Kind == kindViolation || r.Kind == kindCheckAct) && !strings.Contains(r.Function, ".") {
				t.Errorf("function %q of:\n%s", r.Function, r.Text)
			}
		}
	}
	for _, kind := range []string{kindViolation + " " + observed, kindViolation + " " + predicted,
		kindCheckAct + " " + observed, kindCheckAct + " " + predicted, kindCheckAct + " " + unordered,
		kindCalls + " " + unordered, kindDeadlock + " " + potential, "DATA RACE "} {
		if kinds[kind] == 0 {
			t.Errorf("there is no golden report %s: %v", kind, kinds)
		}
	}
}

// TestReportsApart has reports with other lines between them, in random orders. Each is found where
// it was put, and what has been observed alone is left of each finding.
func TestReportsApart(t *testing.T) {
	var all []Report
	for _, text := range golden(t) {
		all = append(all, Reports([]byte(text))...)
	}
	noise := []string{"", "--- FAIL: TestX (0.00s)\n", "PASS\n", "===========\n", "a line\nanother\n",
		"=== RUN   TestY\n"}
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var out []byte
		var put []Report
		for range random.IntN(6) {
			out = append(out, noise[random.IntN(len(noise))]...)
			r := all[random.IntN(len(all))]
			r.Start = len(out)
			out = append(out, r.Text...)
			put = append(put, r)
		}
		out = append(out, noise[random.IntN(len(noise))]...)
		got := Reports(out)
		if len(got) != len(put) {
			t.Fatalf("%d reports, want %d:\n%s", len(got), len(put), out)
		}
		for i := range put {
			if got[i].Start != put[i].Start || !bytes.Equal(got[i].Text, put[i].Text) {
				t.Fatalf("report %d is at %d, want %d:\n%s", i, got[i].Start, put[i].Start, out)
			}
		}
		left := Reports(withoutReplaced(out))
		n := 0
		for _, r := range put {
			shown := false
			for _, o := range put {
				shown = shown || r.Evidence != "" && r.Evidence != observed && r.shownBy(o)
			}
			if !shown {
				if n == len(left) || !bytes.Equal(left[n].Text, r.Text) {
					t.Fatalf("%d reports are left:\n%s", len(left), withoutReplaced(out))
				}
				n++
			}
		}
		if n != len(left) {
			t.Fatalf("%d reports are left, want %d", len(left), n)
		}
	}
}

// change is a report with another text in it.
func change(t *testing.T, text []byte, old, new string) Report {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("no %q in:\n%s", old, text)
	}
	return Reports(bytes.ReplaceAll(text, []byte(old), []byte(new)))[0]
}

// TestShown says which reports are of the same finding.
func TestShown(t *testing.T) {
	find := func(kind, evidence string) Report {
		for _, text := range golden(t) {
			for _, r := range Reports([]byte(text)) {
				if r.Kind == kind && r.Evidence == evidence {
					return r
				}
			}
		}
		t.Fatalf("no report %s: %s", kind, evidence)
		return Report{}
	}
	p := find(kindViolation, predicted)
	o := change(t, p.Text, "Evidence: predicted: ", "Evidence: observed: ")
	if !p.shownBy(o) || o.shownBy(p) || p.shownBy(p) {
		t.Error("a violation that was observed does not show what was predicted")
	}
	if p.shownBy(change(t, o.Text, p.Places[0]+"\n", "other.go:1\n")) {
		t.Error("one with another last access shows it")
	}
	c := find(kindCheckAct, predicted)
	if !c.shownBy(change(t, c.Text, "Evidence: predicted: ", "Evidence: observed: ")) {
		t.Error("a check and act that was observed does not show what was predicted")
	}
	v := change(t, o.Text, "\n"+o.Function+",", "\n"+c.Function+",")
	if !c.shownBy(v) || c.shownBy(o) {
		t.Error("a violation of the function does not show a check and act, or another one does")
	}
	r := find(kindCalls, unordered)
	r.Places = []string{"a.go:1", "a.go:2"}
	act := Report{Kind: kindCheckAct, Evidence: observed, Places: []string{"a.go:0", "a.go:2"},
		Between: "a.go:1"}
	if !r.shownBy(act) {
		t.Error("a check and act does not show a race of its calls")
	}
	act.Between = "a.go:2"
	if r.shownBy(act) {
		t.Error("a check and act shows a race of a call that it does not have")
	}
}

// TestHangs reads what programs print that hang.
func TestHangs(t *testing.T) {
	r := Report{Kind: kindDeadlock, Evidence: potential,
		Places: []string{"/src/a.go:7", "/src/a.go:9"}}
	const head = "fatal error: all goroutines are asleep - deadlock!\n\n"
	waits := func(state, place string) string {
		return "goroutine 7 [" + state + "]:\nsync.(*Mutex).Lock(...)\n\t/go/mutex.go:46\nm.f()\n\t" +
			place + " +0x1d\n\n"
	}
	for i, c := range []struct {
		out  string
		want bool
	}{
		{head + waits("sync.Mutex.Lock", "/src/a.go:7") + waits("sync.Mutex.Lock", "/src/a.go:9"), true},
		{"panic: test timed out after 1m0s\n\n" + waits("sync.RWMutex.Lock, 1 minutes",
			"/src/a.go:9") + waits("sync.RWMutex.RLock", "/src/a.go:7"), true},
		{head + waits("sync.Mutex.Lock", "/src/a.go:7"), false},
		{head + waits("sync.Mutex.Lock", "/src/a.go:77") + waits("sync.Mutex.Lock", "/src/a.go:9"),
			false},
		{head + waits("chan receive", "/src/a.go:7") + waits("sync.Mutex.Lock", "/src/a.go:9"), false},
		{waits("sync.Mutex.Lock", "/src/a.go:7") + waits("sync.Mutex.Lock", "/src/a.go:9"), false},
		{"", false},
	} {
		if got := r.hangs([]byte(c.out)); got != c.want {
			t.Errorf("%d: %t, want %t", i, got, c.want)
		}
	}
	text, err := os.ReadFile("../verdict/testdata/deadlock.txt")
	if err != nil {
		t.Fatal(err)
	}
	told := string(Reports(text)[0].happened())
	if !strings.Contains(told, "\nWARNING: DEADLOCK\n") ||
		!strings.Contains(told, "\nEvidence: observed: by another schedule ") ||
		strings.Contains(told, "potential") || strings.Contains(told, "may prevent") {
		t.Error(told)
	}
}
