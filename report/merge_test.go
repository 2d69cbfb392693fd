// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// read is the one report of a golden file, with some text replaced.
func read(t *testing.T, file string, replace ...string) *Finding {
	t.Helper()
	text, err := os.ReadFile("../internal/engine/finding/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	list := Parse([]byte(strings.NewReplacer(replace...).Replace(string(text))))
	if len(list) != 1 {
		t.Fatalf("%s: %d findings", file, len(list))
	}
	return list[0]
}

// TestIdentity moves lines and changes functions of reports.
func TestIdentity(t *testing.T) {
	lines := regexp.MustCompile(`(\w+\.go):(\d+)`)
	for _, name := range golden(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		moved := Parse(lines.ReplaceAll(text, []byte("$1:1$2")))
		renamed := Parse([]byte(strings.NewReplacer("AppGet", "AppOther", "AppPut", "AppOther",
			"AppMain", "AppStart", "testdata/transactions.", "testdata/other.",
			"testdata/deadlocks.", "testdata/other.").Replace(string(text))))
		for i, f := range Parse(text) {
			if moved[i].Identity() != f.Identity() {
				t.Errorf("%s: another identity when lines have moved", name)
			}
			// a report without any stack has no place
			if len(f.At.Stack) > 0 && moved[i].Fingerprint() == f.Fingerprint() {
				t.Errorf("%s: the fingerprint is the same when lines have moved", name)
			}
			if len(f.At.Stack) > 0 && renamed[i].Identity() == f.Identity() {
				t.Errorf("%s: the identity is the same in other functions", name)
			}
		}
	}
	a := &Finding{Evidence: Static, Check: "checkact", At: Event{At: "/a/x.go:7:3"},
		Said: Said{Headline: "Load (x.go:6) then Store"}}
	b := &Finding{Evidence: Static, Check: "checkact", At: Event{At: "/b/x.go:9:3"},
		Said: Said{Headline: "Load (x.go:8) then Store"}}
	c := &Finding{Evidence: Static, Check: "checkact", At: Event{At: "/b/x.go:9:3"},
		Said: Said{Headline: "Load (x.go:8) then Delete"}}
	if a.Identity() != b.Identity() || b.Identity() == c.Identity() {
		t.Error("the identity of what vet finds")
	}
}

// TestIdentitySides gives a race its sides in the other order.
func TestIdentitySides(t *testing.T) {
	for _, file := range []string{"report.txt", "datarace/global.txt"} {
		f := read(t, file)
		before := [2]string{f.Identity(), f.Fingerprint()}
		f.At, *f.Previous = *f.Previous, f.At
		if after := [2]string{f.Identity(), f.Fingerprint()}; after != before {
			t.Errorf("%s: %v with the sides in one order, and %v in the other", file, before, after)
		}
	}
}

// TestMerge has one finding in three processes, and others beside it.
func TestMerge(t *testing.T) {
	race := read(t, "twin.txt")
	race.Tests = []string{"TestA"}
	observed := read(t, "observed.txt", "main.go:34", "cache.go:12")
	observed.Tests = []string{"TestB", "TestA"}
	observed.Previous, observed.At, observed.Decided = race.Previous, race.At, race.Decided
	predicted := read(t, "predicted.txt")
	predicted.Previous, predicted.At, predicted.Decided = race.Previous, race.At, race.Decided
	static := &Finding{Kind: CheckThenActRace, Evidence: Static, Where: "x.go:1"}
	data, data2 := read(t, "datarace/main.txt"), read(t, "datarace/global.txt")
	data.Where, data2.Where = "a.go:2", "a.go:1"
	got := Merge([]*Finding{static, data, race, data2, observed, predicted})
	want := []*Finding{race, data2, data, static}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	if race.Evidence != Observed || race.Times != 3 ||
		!reflect.DeepEqual(race.Tests, []string{"TestA", "TestB"}) {
		t.Errorf("%s, %d times, of %v", race.Evidence, race.Times, race.Tests)
	}
	if Merge(nil) != nil {
		t.Error("something was made of nothing")
	}
}

// TestRule names rules and levels.
func TestRule(t *testing.T) {
	for _, test := range []struct {
		f           *Finding
		rule, level string
	}{
		{read(t, "twin.txt"), "check-then-act-race/duplicate-work", "error"},
		{read(t, "datarace/main.txt"), "data-race", "error"},
		{&Finding{Kind: Deadlock, Evidence: Potential}, "deadlock", "warning"},
		{&Finding{Check: "checkact", Evidence: Static}, "vet/checkact", "warning"},
	} {
		if r, l := test.f.Rule(), test.f.Level(); r != test.rule || l != test.level {
			t.Errorf("%s, %s; want %s, %s", r, l, test.rule, test.level)
		}
	}
}
