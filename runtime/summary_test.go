// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/term"
)

// forget has nothing found, for the time of a test.
func forget(t testing.TB) {
	saved := [...]any{found.bucket, found.known}
	first, last, n := found.first, found.last, found.reported
	clear := func() {
		found.bucket, found.known = [len(found.bucket)]*pair{}, [len(found.known)]*finding{}
		found.first, found.last, found.reported, found.closed = nil, nil, 0, false
	}
	clear()
	t.Cleanup(func() {
		clear()
		found.bucket, found.known = saved[0].([len(found.bucket)]*pair),
			saved[1].([len(found.known)]*finding)
		found.first, found.last, found.reported = first, last, n
	})
}

// randomFinding is one of a few declarations and places; some are none.
func randomFinding(r *rand.Rand, table *commrace.Table, decls, lines int) *finding {
	f := &finding{table: table, count: 1, effect: term.Severity[r.IntN(len(term.Severity))],
		breach: commrace.Violation(r.IntN(4))}
	if i := r.IntN(decls); i > 0 {
		name := fmt.Sprint("v", i)
		f.decl = declaration{kind: "global", key: "m\t" + name, name: name, pos: "/src/m.go:" + fmt.Sprint(i)}
		if r.IntN(4) == 0 { // two objects on a line, the first of them this one
			f.decl.kind, f.decl.name, f.decl.pos = "ambiguous", "", ""
		}
	}
	for i := range f.at {
		line := 1 + r.IntN(lines)
		f.at[i], f.code[i], f.method[i] = host.Frame{Func: "m.F", File: "/src/m.go", Line: line},
			uint64(line), uint32(r.IntN(2))
	}
	if f.breach != commrace.NoViolation {
		f.check, f.seen = f.at[0], f.code[0]+1000
	}
	return f
}

// slowIntern is what intern is to return, by looking at all findings.
func slowIntern(list []*finding, f *finding) *finding {
	for _, k := range list {
		if k.isSame(f) {
			return k
		}
	}
	return nil
}

// slowGroups is the summary's groups by their definition: the most severe first, listed with all
// findings of the declaration; of equals, the one found first.
func slowGroups(list []*finding) string {
	b := new(buffer)
	done := map[*finding]bool{}
	rest := slices.Clone(list)
	worst := func(of func(f *finding) bool) (w *finding) {
		for _, f := range rest {
			if !done[f] && of(f) && (w == nil || f.rank() < w.rank()) {
				w = f
			}
		}
		return w
	}
	for {
		lead := worst(func(*finding) bool { return true })
		if lead == nil {
			return b.string()
		}
		group(b, lead)
		for f := lead; f != nil; {
			f.line(b)
			done[f] = true
			f = worst(func(f *finding) bool {
				return lead.decl.name != "" && f.decl.name != "" && f.decl.key == lead.decl.key
			})
		}
	}
}

// TestSummaryAtRandom compares what is kept of findings, and the order in which they are listed,
// with the definitions.
func TestSummaryAtRandom(t *testing.T) {
	restore(t)
	table := mapTable(t)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		forget(t)
		var list []*finding
		decls, lines := 1+r.IntN(10), 1+r.IntN(20)
		for range 1 + r.IntN(100) {
			f := randomFinding(r, table, decls, lines)
			want := slowIntern(list, f)
			got := f.intern()
			if want == nil {
				list = append(list, got)
				want = found.last
			}
			if got != want {
				t.Fatalf("round %d: a finding is taken for another", round)
			}
		}
		if int(found.reported) != len(list) {
			t.Fatalf("round %d: %d findings, want %d", round, found.reported, len(list))
		}
		b := new(buffer)
		groups(b)
		if want := slowGroups(list); b.string() != want {
			t.Fatalf("round %d: the summary is\n%s, want\n%s", round, b.string(), want)
		}
	}
}

// TestSummaryWords counts in the words for one and for several.
func TestSummaryWords(t *testing.T) {
	restore(t)
	table := mapTable(t)
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
			f := &finding{table: table, effect: term.LostUpdate, code: [2]uint64{uint64(i), uint64(i)},
				count: 1}
			if i >= test.plain {
				f.breach, f.seen = commrace.Observed, 1
			}
			f.intern()
		}
		b := new(buffer)
		if summary(b); !strings.Contains(b.string(), test.want) {
			t.Errorf("%d and %d: %s, want %s", test.plain, test.breaking, b.string(), test.want)
		}
	}
}

// BenchmarkSummary lists findings: ten times as many should take little more than ten times as
// long.
func BenchmarkSummary(b *testing.B) {
	table := mapTable(b)
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			forget(b)
			r := rand.New(rand.NewPCG(1, 2))
			for int(found.reported) < n {
				randomFinding(r, table, n/10, n).intern()
			}
			text := new(buffer)
			for b.Loop() {
				text.reset()
				summary(text)
			}
		})
	}
}

// BenchmarkIntern has findings come for the second time.
func BenchmarkIntern(b *testing.B) {
	table := mapTable(b)
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			forget(b)
			r := rand.New(rand.NewPCG(1, 2))
			list := make([]*finding, n)
			for i := range list {
				list[i] = randomFinding(r, table, n/10, n)
				list[i].intern()
			}
			i := 0
			for b.Loop() {
				list[i%n].intern()
				i++
			}
		})
	}
}

// BenchmarkKnownRace reports a race that has been reported.
func BenchmarkKnownRace(b *testing.B) {
	forget(b)
	put, get, _ := appMain()
	first, second := &logger{stack: put, goid: 7}, &logger{stack: get, goid: 8}
	makeRace(b, first, second, callOf(store, 1, 2), callOf(store, 1, 3), func(r *race) {
		for b.Loop() {
			report(r)
		}
	})
}
