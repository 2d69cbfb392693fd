// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// TestSeeds writes seeds and reads them; the program reads the same.
func TestSeeds(t *testing.T) {
	list := []Seed{{Policy: engine.First},
		{Policy: engine.Forced, Forces: []engine.Force{{Decision: 12, Choice: 1}}},
		{Policy: engine.Forced, Forces: []engine.Force{{Decision: 1, Choice: 3},
			{Decision: 1 << 20, Choice: 9}}},
		{Policy: engine.Pair, Number: 9, Forces: []engine.Force{{Decision: 77, Choice: 3}}},
		{Policy: engine.Forced, Number: 7},
		{Policy: engine.Forced, Number: 7, Forces: []engine.Force{{Decision: 1, Choice: 3}}}}
	for i := range 100 {
		list = append(list, drawn(uint64(i), "TestX", i))
	}
	seen := make(map[string]bool)
	var words []string
	for _, s := range list {
		if seen[s.String()] {
			t.Errorf("%v is there twice", s)
		}
		seen[s.String()] = true
		words = append(words, s.String())
		spec, ok := engine.ParseSpec(s.spec())
		if !ok || spec.Policy != s.Policy || spec.Seed != s.Number {
			t.Errorf("the program reads %s as %v", s.spec(), spec)
		}
	}
	got, err := ParseSeeds(strings.Join(words, ","))
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("%v %v, want %v", err, got, list)
	}
	for _, word := range []string{"", "x1", "x2-first", "x1-first-1", "x1-again", "x1-again-7K",
		"x1-again-7K3M9QFU", "x1-forced", "x1-forced-1", "x1-other-7K3M9QF2",
		"x1-again-7K3M9QF2-1", "x1-first,", "x1-forced-1.1-1.1", "x1-forced-2.1-1.1",
		"x1-forced-0.1", "x1-forced-00000000-1.1",
		"x1-pair-7K3M9QF2", "x1-pair-1.1", "x1-pair-7K3M9QF2-1.1-2.1", "x1-forced-1.1-7K3M9QF2"} {
		if s, err := ParseSeeds(word); err == nil {
			t.Errorf("%q is taken for %v", word, s)
		}
	}
}

// TestLimits reads what -explore says.
func TestLimits(t *testing.T) {
	for value, want := range map[string]Plan{"1": {Runs: 1}, "200": {Runs: 200},
		"30s": {Time: 30 * time.Second}, "1m30s": {Time: 90 * time.Second}} {
		var p Plan
		if err := p.ParseLimit(value); err != nil || p != want {
			t.Errorf("%s: %v %v", value, p, err)
		}
	}
	for _, value := range []string{"", "0", "-1", "0s", "x", "12x"} {
		if err := new(Plan).ParseLimit(value); err == nil {
			t.Errorf("%q is taken", value)
		}
	}
	p := Plan{Runs: 3, Base: 7, Replay: "x1-first", Timeout: time.Second, Fast: true}
	if got, err := ParsePlan(p.String()); err != nil || got != p {
		t.Errorf("%v %v", got, err)
	}
}

// TestTold cuts what a program writes at each place. Nothing is made up of a part.
func TestTold(t *testing.T) {
	const text = "b 0\nc 1 2 0 0 aa\nc 2 3 1 1 bb\nw 8000000000000000 1 12 m%2ev1.F a.go\n" +
		"w f000000000000000 16 7 m.F b.go\nw a 99 7 m.F b.go\n" +
		"o 8000000000000000 f000000000000000 2 1\no a f000000000000000 2 1\n" +
		"r 0 abc 10 2 0 0 1 7\nb 1\nr 1 def 20 3 1 bb 0 0\nb 2\n"
	lock, load := Op{"Lock", "m.v1/a.go:12"}, Op{"Load", "m/b.go:7"}
	runs := []run{{ended: true, hash: "abc", prefix: "0", points: 10, decisions: 2, arrivals: 1,
		random: 7, choices: []choice{{2, 0, false, "aa"}, {3, 1, true, "bb"}},
		orders: []order{{Order{lock, load}, 2, 1}}},
		{ended: true, hash: "def", prefix: "bb", points: 20, decisions: 3, forced: 1}, {}}
	path := filepath.Join(t.TempDir(), "told")
	for n := range len(text) + 1 {
		if err := os.WriteFile(path, []byte(text[:n]), 0o666); err != nil {
			t.Fatal(err)
		}
		got := readTold(path, false)
		if len(got.runs) > len(runs) {
			t.Fatalf("%q: %v", text[:n], got)
		}
		for i, r := range got.runs {
			if r.ended && !reflect.DeepEqual(r, runs[i]) {
				t.Errorf("%q: run %v, want %v", text[:n], r, runs[i])
			}
			for j, c := range r.choices {
				if c != runs[i].choices[j] {
					t.Errorf("%q: choice %v", text[:n], c)
				}
			}
		}
		if n == len(text) && !reflect.DeepEqual(got.runs, runs) {
			t.Errorf("%v", got)
		}
		if want := map[Op]uint32{lock: 1 << 30, load: 0xf << 27}; n == len(text) &&
			!reflect.DeepEqual(got.shorts(), want) {
			t.Errorf("%v", got.shorts())
		}
	}
}

// TestPatterns splits what -test.run says.
func TestPatterns(t *testing.T) {
	for pattern, want := range map[string][2]string{
		"": {"", ""}, "TestX": {"TestX", ""}, "TestX/a/b": {"TestX", "/a/b"},
		"Test[/]X/a": {"Test[/]X", "/a"}, `Test\/X`: {`Test\/X`, ""},
		"(A/B)": {"(A/B)", ""}, "/a": {"", "/a"},
	} {
		if top, rest := splitPattern(pattern); top != want[0] || rest != want[1] {
			t.Errorf("%q: %q %q", pattern, top, rest)
		}
	}
}

// TestSpread takes elements evenly, and all if there are few.
func TestSpread(t *testing.T) {
	var list []node
	for i := range 20 {
		list = append(list, node{decision: uint32(i)})
	}
	for n := range 30 {
		some := spread(list, n)
		if len(some) != min(n, len(list)) {
			t.Errorf("%d of 20: %d", n, len(some))
		}
		for i := 1; i < len(some); i++ {
			if some[i].decision <= some[i-1].decision {
				t.Errorf("%d of 20: %v", n, some)
			}
		}
	}
}

// TestLines reads lines about tests as they are written.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	results := []Result{{Test: "TestA", Runs: 1, Different: 1, Switches: 3},
		{Test: "TestB", Runs: 64, Different: 40, Switches: 1, Arrivals: 1},
		{Test: "TestC", Runs: 3, Different: 2, Failure: &Failure{}}}
	var lines []string
	for _, r := range results {
		lines = append(lines, r.line())
	}
	want := fmt.Sprint([]string{
		"explored TestA: 1 run, 1 different; there is nothing to decide",
		"explored TestB: 64 runs, 40 different; no schedule with at most 1 forced switch fails; " +
			"1 arrival from outside",
		"explored TestC: 3 runs, 2 different; it fails"})
	if got := fmt.Sprint(lines); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := tell(dir, lines[:2]); err != nil {
		t.Fatal(err)
	}
	if got := Summary(dir); got != "explored 2 tests: 65 runs, 41 different; none fails" {
		t.Error(got)
	}
	if err := tell(dir, lines[2:]); err != nil {
		t.Fatal(err)
	}
	if got := Summary(dir); got != "explored 3 tests: 68 runs, 43 different; 1 test failed" {
		t.Error(got)
	}
}
