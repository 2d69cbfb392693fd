// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A turn is a call in a test of violations: by goroutine 7 or 8, at one of the places of the
// fixture.
type turn struct {
	goid uint64
	at   *stack.Stack
	call *commrace.Call
}

// checkAct registers that what is done where appGet is depends on what is seen where appPut is.
func checkAct(check, act string) {
	put, get, _ := fixture.AppMain()
	from, to := put.Top(""), get.Top("")
	source.Keep(&compiled.Registration{Path: fixture.Package, Acts: []compiled.CheckAct{{
		Check: compiled.Call{File: text.Base(from.File), Line: uint32(from.Line), Method: check},
		Act:   compiled.Call{File: text.Base(to.File), Line: uint32(to.Line), Method: act},
	}}})
}

// eachViolation calls f for the races of calls that break a check and act.
func eachViolation(t *testing.T, turns []turn, f func(r *report.Race)) {
	t.Helper()
	allRaces(t, turns, func(r *report.Race) {
		if r.Violation != commrace.NoViolation {
			f(r)
		}
	})
}

// allRaces makes calls on one object, each by its goroutine, with no order between those, and calls
// f for the races.
func allRaces(t *testing.T, turns []turn, f func(r *report.Race)) {
	t.Helper()
	var o commrace.Object
	o.Init(fixture.MapTable(t), &instance.Clocks)
	defer o.Drop()
	_, _, origin := fixture.AppMain()
	g := map[uint64]*vclock.Thread{7: new(vclock.Thread), 8: new(vclock.Thread)}
	instance.Clocks.Start(g[7])
	instance.Clocks.Start(g[8])
	for _, c := range turns {
		k := &logger{stack: c.at, origin: origin, goid: c.goid, creator: 1, race: f}
		c.call.SetPlace(commrace.Place{Site: c.at.Frames()[0], Frame: 64})
		if c.call.Method != fixture.Load && c.call.Method != fixture.Size {
			o.Begin(c.call, g[c.goid], k)
		}
		o.End(c.call, g[c.goid], k)
	}
	g[7].End()
	g[8].End()
}

// violationTextOf is the report of the last race of some calls that breaks a check and act, and its
// effect.
func violationTextOf(t *testing.T, turns ...turn) (got, effect string) {
	t.Helper()
	eachViolation(t, turns, func(r *report.Race) {
		b := text.Buffers.Get()
		b.Reset()
		f := describe(r, "kv.(*Map).")
		r.Print(b, &f, "kv.(*Map).")
		got, effect = strings.Clone(b.String()), f.Effect
		text.Buffers.Put(b)
	})
	if got == "" {
		t.Fatal("no check and act is broken")
	}
	return got, effect
}

// TestViolationReports has a report of each kind.
func TestViolationReports(t *testing.T) {
	restore(t)
	option.Current.Strip = "/home/user/"
	checkAct("Load", "Store")
	put, get, main := fixture.AppMain()
	fixture.Register(fixture.CacheCall("cache.go", 12, "Load"))
	missed := func() *commrace.Call { return fixture.CallOf(fixture.Load, "host", nil, false) }
	for name, turns := range map[string][]turn{
		"observed.txt": {{7, put, missed()},
			{8, main, fixture.CallOf(fixture.Store, "host", 2, nil, false)},
			{7, get, fixture.CallOf(fixture.Store, "host", 1, 2, true)}},
		"predicted.txt": {{7, put, missed()},
			{7, get, fixture.CallOf(fixture.Store, "host", 1, nil, false)},
			{8, main, fixture.CallOf(fixture.Store, "host", 2, 1, true)}},
		"twin.txt": {{7, put, missed()},
			{7, get, fixture.CallOf(fixture.Store, "host", 1, nil, false)},
			{8, put, fixture.CallOf(fixture.Load, "host", 1, true)}},
	} {
		got, _ := violationTextOf(t, turns...)
		capture.Golden(t, name, got)
	}
}

func TestViolationEffects(t *testing.T) {
	restore(t)
	checkAct("Load", "Store")
	checkAct("Len", "Store")
	put, get, main := fixture.AppMain()
	for _, test := range []struct {
		name   string
		turns  []turn
		effect string
		says   string
	}{
		{"another's value",
			[]turn{{7, put, fixture.CallOf(fixture.Load, 1, 5, true)},
				{8, main, fixture.CallOf(fixture.Store, 1, 2)},
				{7, get, fixture.CallOf(fixture.Store, 1, 3)}},
			term.LostUpdate,
			"what the other goroutine's Store changed is lost with Store, which goes by what " +
				"Load saw before"},
		{"both make it",
			[]turn{{7, put, fixture.CallOf(fixture.Load, 1, nil, false)},
				{8, put, fixture.CallOf(fixture.Load, 1, nil, false)},
				{8, get, fixture.CallOf(fixture.Store, 1, 2)},
				{7, get, fixture.CallOf(fixture.Store, 1, 3)}}, term.DuplicateWork,
			"both goroutines learn from Load"},
		{"both change it",
			[]turn{{7, put, fixture.CallOf(fixture.Load, 1, 5, true)},
				{8, put, fixture.CallOf(fixture.Load, 1, 5, true)},
				{8, get, fixture.CallOf(fixture.Store, 1, 2)},
				{7, get, fixture.CallOf(fixture.Store, 1, 3)}}, term.LostUpdate,
			"goes by what Load saw before"},
		{"both may",
			[]turn{{7, put, fixture.CallOf(fixture.Load, 1, 5, true)},
				{7, get, fixture.CallOf(fixture.Store, 1, 2)},
				{8, put, fixture.CallOf(fixture.Load, 1, 2, true)}},
			term.DuplicateWork,
			"nothing in the program forces the order of Store and the other goroutine's Load"},
		{"an arbiter has won",
			[]turn{{7, put, fixture.CallOf(fixture.Load, 1, 5, true)},
				{8, main, fixture.CallOf(fixture.Claim, 1, true)},
				{7, get, fixture.CallOf(fixture.Store, 1, 3)}},
			"", ""}, // which Load does not see
		{"without a key",
			[]turn{{7, put, fixture.CallOf(fixture.Size, 0)},
				{7, get, fixture.CallOf(fixture.Store, 1, 2)},
				{8, put, fixture.CallOf(fixture.Size, 1)}},
			term.DuplicateWork, "Len"},
	} {
		if test.effect == "" {
			eachViolation(t, test.turns,
				func(r *report.Race) {
					t.Errorf("%s: a check and act is broken, by violation %d",
						test.name, r.Violation)
				})
			continue
		}
		got, effect := violationTextOf(t, test.turns...)
		if effect != test.effect || !strings.Contains(got, test.says) {
			t.Errorf("%s: %s, want %s that says %q in\n%s", test.name, effect, test.effect,
				test.says, got)
		}
	}
}

// TestViolationVerdicts says what becomes of a race that breaks a check and act, where others are
// not reported, or are not to be.
func TestViolationVerdicts(t *testing.T) {
	put, get, main := fixture.AppMain()
	ignore := func(s *stack.Stack) []compiled.Directive {
		fr := s.Top("")
		file, line := text.Base(fr.File), uint32(fr.Line)
		return []compiled.Directive{{Kind: compiled.Ignore, File: file, Line: line}}
	}
	field := []compiled.Directive{
		{Kind: compiled.Concurrent, File: "cache.go", Line: 3, Decl: "Server.cache"},
	}
	for _, test := range []struct {
		name       string
		level      option.Level
		directives []compiled.Directive
		rules      string
		derived    bool    // the specification is
		plain      verdict // what becomes of the race of check and interfering call
		breaking   verdict
	}{
		{name: "races", level: option.Races, plain: reported, breaking: reported},
		{name: "violations", level: option.Violations, plain: belowLevel, breaking: reported},
		{name: "derived", level: option.Races, derived: true, plain: belowLevel,
			breaking: reported},
		{name: "all of derived", level: option.All, derived: true, plain: reported,
			breaking: reported},
		{name: "concurrent", level: option.Races, directives: field,
			plain: concurrent, breaking: reported},
		{name: "check ignored", level: option.Races, directives: ignore(put),
			plain: ignored, breaking: ignored},
		{name: "act ignored", level: option.Races, directives: ignore(get),
			plain: reported, breaking: ignored},
		{name: "interfering call ignored", level: option.Races, directives: ignore(main),
			plain: ignored, breaking: ignored},
		{name: "check suppressed", level: option.Races, rules: "AppPut", plain: suppressed,
			breaking: suppressed},
		{name: "act suppressed", level: option.Races, rules: "AppGet", plain: reported,
			breaking: suppressed},
	} {
		t.Run(test.name, func(t *testing.T) {
			restore(t)
			checkAct("Load", "Store")
			first, second := put.Top(""), get.Top("")
			fixture.Register(fixture.CacheCall(text.Base(first.File), first.Line, "Load"),
				fixture.CacheCall(text.Base(second.File), second.Line, "Store"))
			source.Keep(&compiled.Registration{Path: fixture.Package, Directives: test.directives})
			option.Current.Level = test.level
			fixture.Suppress(test.rules)
			got := map[bool]verdict{}
			check := func(r *report.Race) {
				r.Table.Methods[0].Derived = test.derived
				f := describe(r, "kv.(*Map).")
				got[r.Violation != commrace.NoViolation] = judge(r, &f, "kv.(*Map).")
			}
			allRaces(t,
				[]turn{{7, put, fixture.CallOf(fixture.Load, 1, nil, false)},
					{8, main, fixture.CallOf(fixture.Store, 1, 2)},
					{7, get, fixture.CallOf(fixture.Store, 1, 3)}}, check)
			if len(got) != 2 || got[false] != test.plain || got[true] != test.breaking {
				t.Errorf("verdicts %v, want %d and %d", got, test.plain, test.breaking)
			}
		})
	}
}

// TestViolationSummary lists findings by what is known of them, and then by what can go wrong.
func TestViolationSummary(t *testing.T) {
	restore(t)
	forget(t)
	table := fixture.MapTable(t)
	at := func(line int) host.Frame {
		return host.Frame{Func: fmt.Sprint("m.F", line/10), File: "/src/m.go", Line: line}
	}
	add := func(line int, violation commrace.Violation, effect string) {
		f := report.Finding{Table: table, Violation: violation, Effect: effect, Count: 1}
		f.Decl = source.Declaration{Kind: "global", Name: "m",
			Key: source.Key{Known: true, Package: "m", Name: "m"}}
		f.At = [2]host.Frame{at(line), at(line + 1)}
		f.Code = [2]uint64{uint64(line), uint64(line + 1)}
		if violation != commrace.NoViolation {
			f.Check, f.CheckCode = at(line-1), uint64(line-1)
		}
		intern(&f)
	}
	add(10, commrace.NoViolation, term.StaleRead)
	add(20, commrace.NoViolation, term.LostUpdate)
	add(30, commrace.SymmetricCheck, term.DuplicateWork)
	add(40, commrace.Predicted, term.StaleCheck)
	add(50, commrace.Observed, term.DuplicateWork)
	add(60, commrace.Observed, term.LostUpdate)
	b := new(text.Buffer)
	summary(b)
	capture.Golden(t, "summary.txt", b.String())
}

// TestWorsens has a finding of which more becomes known.
func TestWorsens(t *testing.T) {
	f := report.Finding{Violation: commrace.SymmetricCheck, Effect: term.DuplicateWork, Reports: 3}
	r := report.Race{Table: fixture.MapTable(t),
		Race: commrace.Race{Violation: commrace.SymmetricCheck,
			First:  &commrace.Action{Method: fixture.Store},
			Second: &commrace.Action{Method: fixture.Store}}}
	if f.Worsens(&r) {
		t.Error("what was known makes it worse")
	}
	r.Violation, r.Check = commrace.Observed, &commrace.Action{}
	if !f.Worsens(&r) || f.Violation != commrace.Observed || f.Effect != term.LostUpdate ||
		f.Reports != 0 {
		t.Errorf("what was observed makes %v of it", f)
	}
}

// TestDecides looks up pairs of calls.
func TestDecides(t *testing.T) {
	restore(t)
	table := fixture.MapTable(t)
	put, get, _ := fixture.AppMain()
	a := func(method uint32, s *stack.Stack, frame uintptr) *commrace.Action {
		return &commrace.Action{Method: method,
			At: commrace.Place{Site: s.Frames()[0], Frame: frame}}
	}
	if stack.Decides(table, a(fixture.Load, put, 64), nil) ||
		stack.Decides(table, a(fixture.Load, put, 64), a(fixture.Store, get, 64)) {
		t.Error("nothing is registered, and something is found")
	}
	checkAct("Load", "Store") // later, and seen all the same
	for _, test := range []struct {
		check, act *commrace.Action
		want       bool
	}{
		{a(fixture.Load, put, 64), a(fixture.Store, get, 64), true},
		{a(fixture.Load, put, 64), a(fixture.Store, get, 64), true}, // as remembered
		{a(fixture.Load, put, 64), a(fixture.Store, get, 80), false},
		{a(fixture.Load, put, 64), a(fixture.Swap, get, 64), false},
		{a(fixture.Size, put, 64), a(fixture.Store, get, 64), false},
		{a(fixture.Load, get, 64), a(fixture.Store, put, 64), false},
		{&commrace.Action{Method: fixture.Load}, &commrace.Action{Method: fixture.Store}, false},
	} {
		if got := stack.Decides(table, test.check, test.act); got != test.want {
			t.Errorf("Decides(%v at %v, %v at %v) is %v", test.check.Method, test.check.At,
				test.act.Method, test.act.At, got)
		}
	}
	if !stack.Decides(table, a(fixture.Load, put, 64), nil) ||
		stack.Decides(table, a(fixture.Load, get, 64), nil) {
		t.Error("checks are taken for others")
	}
}
