// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// forget has nothing found, for the time of a test.
func forget(t testing.TB) {
	saved := [...]any{found.bucket, found.byHash, found.byFunctions}
	first, last, n := found.first, found.last, found.number
	clear := func() {
		found.bucket = [len(found.bucket)]*pair{}
		found.byHash = [len(found.byHash)]*report.Finding{}
		found.byFunctions = [len(found.byFunctions)]*report.Finding{}
		found.first, found.last, found.number, found.closed = nil, nil, 0, false
	}
	clear()
	t.Cleanup(func() {
		clear()
		found.bucket, found.byHash = saved[0].([len(found.bucket)]*pair),
			saved[1].([len(found.byHash)]*report.Finding)
		found.byFunctions = saved[2].([len(found.byFunctions)]*report.Finding)
		found.first, found.last, found.number = first, last, n
	})
}

// randomFinding is one of a few declarations and places; some are none.
func randomFinding(r *rand.Rand, table *commrace.Table, decls, lines int) *report.Finding {
	f := &report.Finding{Table: table, Count: 1, Effect: term.Severity[r.IntN(len(term.Severity))],
		Violation: commrace.Violation(r.IntN(4))}
	if i := r.IntN(decls); i > 0 {
		name := fmt.Sprint("v", i)
		f.Decl = source.Declaration{Kind: "global", Name: name, Pos: fmt.Sprint("/src/m.go:", i),
			Key: source.Key{Known: true, Package: "m", Name: name}}
		if r.IntN(4) == 0 { // two objects on a line, the first of them this one
			f.Decl.Kind, f.Decl.Name, f.Decl.Pos = "ambiguous", "", ""
		}
	}
	for i := range f.At {
		line := 1 + r.IntN(lines)
		f.At[i], f.Code[i], f.Method[i] = host.Frame{Func: fmt.Sprint("m.F", line/3),
			File: "/src/m.go", Line: line}, uint64(line), uint32(r.IntN(2))
	}
	if f.Violation != commrace.NoViolation {
		f.Check, f.CheckCode = f.At[0], f.Code[0]+1000
	}
	return f
}

// slowIntern is what intern is to return, by looking at all findings, and those that are left of
// them.
func slowIntern(list []*report.Finding, f *report.Finding) (*report.Finding, []*report.Finding) {
	for _, k := range list {
		if isSame(k, f) {
			return k, list
		}
	}
	if f.Decl.Name == "" {
		return nil, list
	}
	if f.CheckCode == 0 {
		for _, k := range list {
			if isNear(k, f) {
				return k, list
			}
		}
		return nil, list
	}
	return nil, slices.DeleteFunc(list, func(k *report.Finding) bool {
		return k.CheckCode == 0 && isNear(k, f)
	})
}

// slowGroups is the summary's groups by their definition: the most severe first, listed with all
// findings of the declaration; of equals, the one found first.
func slowGroups(list []*report.Finding) string {
	b := new(text.Buffer)
	done := map[*report.Finding]bool{}
	rest := slices.Clone(list)
	worst := func(of func(f *report.Finding) bool) (w *report.Finding) {
		for _, f := range rest {
			if !done[f] && of(f) && (w == nil || rank(f) < rank(w)) {
				w = f
			}
		}
		return w
	}
	for {
		lead := worst(func(*report.Finding) bool { return true })
		if lead == nil {
			return b.String()
		}
		writeGroup(b, lead)
		for f := lead; f != nil; {
			writeFinding(f, b)
			done[f] = true
			f = worst(func(f *report.Finding) bool {
				return lead.Decl.Name != "" && f.Decl.Name != "" && f.Decl.Key == lead.Decl.Key
			})
		}
	}
}

// TestSummaryAtRandom compares what is kept of findings, and the order in which they are listed,
// with the definitions.
func TestSummaryAtRandom(t *testing.T) {
	restore(t)
	table := fixture.MapTable(t)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		forget(t)
		var list []*report.Finding
		decls, lines := 1+r.IntN(10), 1+r.IntN(20)
		for range 1 + r.IntN(100) {
			f := randomFinding(r, table, decls, lines)
			f.Functions = [2]string{f.At[0].Func, f.At[1].Func}
			want, left := slowIntern(list, f)
			list = left
			got := intern(f)
			if want == nil {
				list = append(list, got)
				want = found.last
			}
			if got != want {
				t.Fatalf("round %d: a finding is taken for another", round)
			}
		}
		if int(found.number) != len(list) {
			t.Fatalf("round %d: %d findings, want %d", round, found.number, len(list))
		}
		b := new(text.Buffer)
		writeGroups(b)
		if want := slowGroups(list); b.String() != want {
			t.Fatalf("round %d: the summary is\n%s, want\n%s", round, b.String(), want)
		}
	}
}

// TestSummaryWords counts in the words for one and for several.
func TestSummaryWords(t *testing.T) {
	restore(t)
	table := fixture.MapTable(t)
	for _, test := range []struct {
		plain, breaking int
		want            string
	}{
		{1, 0, "commute: found 1 commutativity race\n"},
		{2, 0, "commute: found 2 commutativity races\n"},
		{0, 1, "commute: found 1 commutativity race, which breaks a check and act\n"},
		{1, 1, "commute: found 2 commutativity races, 1 of which breaks a check and act\n"},
		{0, 2, "commute: found 2 commutativity races, 2 of which break a check and act\n"},
	} {
		forget(t)
		for i := range test.plain + test.breaking {
			f := &report.Finding{Table: table, Effect: term.LostUpdate,
				Code:  [2]uint64{uint64(i), uint64(i)},
				Count: 1}
			if i >= test.plain {
				f.Violation, f.CheckCode = commrace.Observed, 1
			}
			intern(f)
		}
		b := new(text.Buffer)
		if summary(b); !strings.Contains(b.String(), test.want) {
			t.Errorf("%d and %d: %s, want %s", test.plain, test.breaking, b.String(), test.want)
		}
	}
}

// BenchmarkSummary lists findings: ten times as many should take little more than ten times as
// long.
func BenchmarkSummary(b *testing.B) {
	table := fixture.MapTable(b)
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			forget(b)
			r := rand.New(rand.NewPCG(1, 2))
			for int(found.number) < n {
				intern(randomFinding(r, table, n/10, n))
			}
			text := new(text.Buffer)
			for b.Loop() {
				text.Reset()
				summary(text)
			}
		})
	}
}

// BenchmarkIntern has findings come for the second time.
func BenchmarkIntern(b *testing.B) {
	table := fixture.MapTable(b)
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			forget(b)
			r := rand.New(rand.NewPCG(1, 2))
			list := make([]*report.Finding, n)
			for i := range list {
				list[i] = randomFinding(r, table, n/10, n)
				intern(list[i])
			}
			i := 0
			for b.Loop() {
				intern(list[i%n])
				i++
			}
		})
	}
}

// BenchmarkKnownRace reports a race that has been reported.
func BenchmarkKnownRace(b *testing.B) {
	forget(b)
	put, get, _ := fixture.AppMain()
	first, second := &logger{stack: put, goid: 7}, &logger{stack: get, goid: 8}
	makeRace(b, first, second, fixture.CallOf(fixture.Store, 1, 2),
		fixture.CallOf(fixture.Store, 1, 3), func(r *report.Race) {
			for b.Loop() {
				Race(r)
			}
		})
}

// What was found so far is listed while the program goes on, and once more at its end.
func TestSoFar(t *testing.T) {
	restore(t)
	forget(t)
	add := func(seed uint64) {
		f := randomFinding(rand.New(rand.NewPCG(seed, 1)), new(commrace.Table), 1, 9)
		f.Table.Type = "sync.Map"
		found.number++
		if found.first == nil {
			found.first = f
		} else {
			found.last.Next = f
		}
		found.last = f
	}
	soFar := func(want int, at string) {
		text := capture.Stderr(t, SoFar)
		if n := strings.Count(text, " time\n"); n != want ||
			!strings.HasPrefix(text, "commute: so far:\n") ||
			!strings.Contains(text, "\ncommute: watched ") {
			t.Errorf("%s: %d findings, want %d:\n%s", at, n, want, text)
		}
	}
	soFar(0, "at first")
	add(1)
	soFar(1, "after a finding")
	soFar(1, "again")
	add(2)
	soFar(2, "after another one")
	if text := capture.Stderr(t, func() { Close() }); strings.Count(text, " time\n") != 2 {
		t.Errorf("at the end:\n%s", text)
	}
	if text := capture.Stderr(t, SoFar); text != "" {
		t.Errorf("after the end: %s", text)
	}
}
