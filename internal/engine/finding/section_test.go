// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// touchAt is a touch of a map's key on a line of rates.go.
func touchAt(op compiled.TouchOp, line int) compiled.SectionTouch {
	return compiled.SectionTouch{Op: op, Point: fixture.Package + ".Rates.m", Name: "Rates.m",
		Decl: "/home/user/app/rates.go:8", At: compiled.Line{File: "/home/user/app/rates.go",
			Number: line}}
}

// alive is what only references of the engine's lead to, which the garbage collector doesn't see.
var alive []any

// raise is a function with two pairs: of a map's key, and of its length.
func raise() *compiled.SectionFunc {
	touches := []compiled.SectionTouch{touchAt(compiled.Lookup, 14), touchAt(compiled.Insert, 19),
		touchAt(compiled.Len, 15), touchAt(compiled.Delete, 20)}
	f := &compiled.SectionFunc{
		Code: compiled.AtomicCode{Name: fixture.Package + ".(*Rates).Raise", Pos: "rates.go:23"},
		Pairs: []compiled.SectionPair{
			{Check: &touches[0], Act: &touches[1], Shape: compiled.LostUpdate, Value: true,
				CheckBy: compiled.Line{File: "/home/user/app/rates.go", Number: 24},
				ActBy:   compiled.Line{File: "/home/user/app/rates.go", Number: 25}},
			{Check: &touches[2], Act: &touches[1], Shape: compiled.Exceeded},
			{Check: &touches[0], Act: &touches[3], Shape: compiled.Computed},
		},
	}
	alive = append(alive, f)
	return f
}

// ratesLock is where the lock is taken.
var ratesLock = compiled.LockSite{Lock: "Rates.mu"}

// broken is a finding of a function's pair.
func broken(f *compiled.SectionFunc, pair int, evidence section.Evidence) *report.Sections {
	put, get, main := fixture.AppMain()
	p := &f.Pairs[pair]
	event := func(t *compiled.SectionTouch, goid uint64, at *stack.Stack) section.Event {
		return section.Event{Touch: offheap.To(t), Goid: goid, Creator: 1, Value: 1,
			Was: section.Unknown, Stack: uintptr(unsafe.Pointer(at)),
			Origin: uintptr(unsafe.Pointer(main))}
	}
	s := &report.Sections{Finding: section.Finding{Func: offheap.To(f), Pair: pair,
		Evidence: evidence, Check: event(p.Check, 9, put), Act: event(p.Act, 9, get),
		Other: event(p.Act, 8, put), Object: 0x5000, Lock: 0x6000,
		Site: offheap.To(&ratesLock)}}
	if evidence == section.Twin {
		s.Other.Touch = s.Check.Touch
	}
	key, value, was := "eur", 7, 8
	keep := func(k *text.Kept, v any) {
		words := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))
		k.Keep(words[0], words[1])
	}
	keep(&s.Key, key)
	keep(&s.Values[0], value)
	keep(&s.Values[1], was)
	keep(&s.Was, value)
	return s
}

// start is a function that looks at an atomic flag and then sets it.
func start() *compiled.SectionFunc {
	touches := []compiled.SectionTouch{touchAt(compiled.ReadVar, 14),
		touchAt(compiled.WriteVar, 19), touchAt(compiled.ReadVar, 24),
		touchAt(compiled.WriteVar, 25)}
	for i := range touches {
		touches[i].Name, touches[i].Atomic = "Rates.started", compiled.AtomicBool
		if i > 1 {
			touches[i].Name, touches[i].Atomic = "Rates.n", compiled.AtomicSigned
		}
	}
	f := &compiled.SectionFunc{
		Code: compiled.AtomicCode{Name: fixture.Package + ".(*Rates).Start", Pos: "rates.go:23"},
		Pairs: []compiled.SectionPair{
			{Check: &touches[0], Act: &touches[1], Shape: compiled.FlagSet},
			{Check: &touches[2], Act: &touches[3], Shape: compiled.LostUpdate, Value: true},
		},
	}
	alive = append(alive, f)
	return f
}

// TestSectionLines has a function that calls its helpers at several lines, of which the pair has
// one.
func TestSectionLines(t *testing.T) {
	main := func(e *section.Event) (at compiled.Line) {
		stack.FrameList{Stack: stack.StackOf(e.Stack)}.Each(func(fr host.Frame) bool {
			if strings.HasSuffix(fr.Func, ".AppMain") {
				at = compiled.Line{File: fr.File, Number: fr.Line}
			}
			return at.Number == 0
		})
		return at
	}
	f := raise()
	s, p := broken(f, 0, section.Observed), &f.Pairs[0]
	check, act, planned := main(&s.Check), main(&s.Act), p.ActBy
	if check.Number == 0 || act.Number == 0 || check == act {
		t.Fatalf("the helpers are called at %v and %v", check, act)
	}
	for _, c := range []struct{ checkBy, actBy, check, act compiled.Line }{
		{check, act, check, act},
		{check, planned, check, act},
		{planned, act, check, act},
		{planned, planned, planned, planned},
	} {
		p.CheckBy, p.ActBy = c.checkBy, c.actBy
		if from, to := s.Lines(); from != c.check || to != c.act {
			t.Errorf("pair of %v and %v: %v and %v, want %v and %v", c.checkBy, c.actBy, from, to,
				c.check, c.act)
		}
	}
}

// atomically is broken for a pair of atomic operations, with what they have read and written.
func atomically(pair int, evidence section.Evidence, check, act, was uint64) *report.Sections {
	s := broken(start(), pair, evidence)
	s.Key, s.Site = text.Kept{}, offheap.Ref[compiled.LockSite]{}
	s.Check.Value, s.Act.Value, s.Act.Was, s.Other.Value = check, act, was, was
	return s
}

// forgetSections forgets what was found, for the time of a test.
func forgetSections(t *testing.T) {
	restore(t)
	saved, n := sectionFindings, sectionReports
	sectionFindings, sectionReports = nil, 0
	t.Cleanup(func() { sectionFindings, sectionReports = saved, n })
}

// TestSectionReports has a report of each kind of evidence.
func TestSectionReports(t *testing.T) {
	forgetSections(t)
	option.Current.Strip = "/home/user/"
	predicted := broken(raise(), 1, section.Predicted)
	predicted.Last = true
	for name, s := range map[string]*report.Sections{
		"observed":  broken(raise(), 0, section.Observed),
		"predicted": predicted,
		"twin":      broken(raise(), 0, section.Twin),
		"flag":      atomically(0, section.Twin, 0, 1, 0),
		"atomic":    atomically(1, section.Observed, ^uint64(6), 3, 9),
	} {
		b := new(text.Buffer)
		s.Print(b)
		capture.Golden(t, "sections/"+name+".txt", b.String())
	}
}

// TestSectionUncaptured has a check of which nothing but its place is known.
func TestSectionUncaptured(t *testing.T) {
	forgetSections(t)
	s := broken(raise(), 2, section.Observed)
	s.Check.Stack, s.Check.Value, s.Other.Goid, s.Site = 0, 0, 0, offheap.Ref[compiled.LockSite]{}
	s.Key = text.Kept{}
	b := new(text.Buffer)
	s.Print(b)
	for _, want := range []string{
		"Raise looks at Rates.m[key] and then deletes it: goroutine 9 was interfered with",
		"Check: Rates.m[key] is absent by goroutine 9:\n  " + fixture.Package +
			".(*Rates).Raise()\n      /home/user/app/rates.go:14\n",
		"Act: Rates.m[key] is deleted",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// TestSectionVerdicts says what becomes of a finding.
func TestSectionVerdicts(t *testing.T) {
	line := func(n uint32) []compiled.Directive {
		return []compiled.Directive{{Kind: compiled.Ignore, File: "rates.go", Line: n}}
	}
	field := []compiled.Directive{
		{Kind: compiled.Concurrent, File: "rates.go", Line: 8, Decl: "Rates.m"},
	}
	for _, test := range []struct {
		name       string
		level      option.Level
		directives []compiled.Directive
		rules      string
		pair       int
		evidence   section.Evidence
		seldom     bool
		want       bool
	}{
		{name: "races", level: option.Races, evidence: section.Twin, want: true},
		{name: "violations, race", level: option.Violations, evidence: section.Twin},
		{name: "violations, predicted", level: option.Violations, evidence: section.Predicted,
			want: true},
		{name: "seldom", level: option.Races, evidence: section.Twin, seldom: true},
		{name: "seldom, all", level: option.All, evidence: section.Twin, seldom: true, want: true},
		{name: "computed", level: option.Races, pair: 2},
		{name: "computed, all", level: option.All, pair: 2, want: true},
		{name: "check ignored", level: option.Races, directives: line(14)},
		{name: "its call ignored", level: option.Races, directives: line(24)},
		{name: "act ignored", level: option.Races, directives: line(19)},
		{name: "another line ignored", level: option.Races, directives: line(18), want: true},
		{name: "concurrent, lost update", level: option.Races, directives: field, want: true},
		{name: "concurrent", level: option.Races, pair: 1, directives: field},
		{name: "declaration suppressed", level: option.Races, rules: "Rates.m"},
		{name: "function suppressed", level: option.Races, rules: "Rates*Raise"},
		{name: "frame suppressed", level: option.Races, rules: "AppGet"},
		{name: "other suppressed", level: option.Races, rules: "Other", want: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			forgetSections(t)
			source.Keep(&compiled.Registration{Path: fixture.Package, Tested: true,
				Directives: test.directives})
			option.Current.Level = test.level
			fixture.Suppress(test.rules)
			s := broken(raise(), test.pair, test.evidence)
			s.Seldom = test.seldom
			if got := reportSections(s); got != test.want {
				t.Errorf("reported: %t, want %t", got, test.want)
			}
			drop()
			used := 0
			source.Unused(func(*compiled.Directive) { used++ })
			if len(test.directives) > 0 && (used == 0) != (!test.want) && test.pair == 0 &&
				test.name != "concurrent, lost update" {
				t.Errorf("%d directives are unused", used)
			}
		})
	}
}

// drop takes the messages back that were posted.
func drop() {
	for m := Take(); m != nil; m = Take() {
		m.Done()
	}
}

// TestSectionGroups has one finding of two pairs that two sections break at once, and of each pair
// for itself another one.
func TestSectionGroups(t *testing.T) {
	forgetSections(t)
	f, other := raise(), raise()
	in := func(s *report.Sections, check, act vclock.Epoch) *report.Sections {
		s.Check.Epoch, s.Act.Epoch = check, act
		return s
	}
	for i, test := range []struct {
		s       *report.Sections
		posted  bool
		reports uint64
	}{
		{in(broken(f, 0, section.Twin), 5, 6), true, 1},
		{in(broken(f, 1, section.Twin), 5, 6), false, 1}, // another pair of the same sections
		{in(broken(f, 1, section.Twin), 7, 8), false, 1},
		{in(broken(f, 0, section.Observed), 9, 10), true, 1}, // which is worse
		{in(broken(f, 0, section.Predicted), 9, 10), false, 1},
		{in(broken(other, 0, section.Twin), 11, 12), true, 2}, // another function
	} {
		if posted := reportSections(test.s); posted != test.posted ||
			sectionReports != test.reports {
			t.Errorf("%d: posted %t, %d reports", i, posted, sectionReports)
		}
	}
	drop()
	b := new(text.Buffer)
	listSections(b)
	capture.Golden(t, "sections/summary.txt", b.String())
}
