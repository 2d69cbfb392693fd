// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/term"
)

// A turn is a call in a test of breaches: by goroutine 7 or 8, at one of the places of the fixture.
type turn struct {
	goid uint64
	at   *stack
	call *commrace.Call
}

// checkAct registers that what is done where appGet is depends on what is seen where appPut is.
func checkAct(check, act string) {
	put, get, _ := appMain()
	from, to := put.top(""), get.top("")
	Register(strings.Join([]string{"checkact", packageOf(from.Func), base(from.File), fmt.Sprint(from.Line), check,
		base(to.File), fmt.Sprint(to.Line), act}, "\t") + "\n")
}

// eachBreach calls f for the races of calls that break a check and act.
func eachBreach(t *testing.T, turns []turn, f func(r *race)) {
	t.Helper()
	allRaces(t, turns, func(r *race) {
		if r.Violation != commrace.NoViolation {
			f(r)
		}
	})
}

// allRaces makes calls on one object, each by its goroutine, with no order between those, and calls f for the races.
func allRaces(t *testing.T, turns []turn, f func(r *race)) {
	t.Helper()
	var o commrace.Object
	o.Init(mapTable(t), &instance.Clocks)
	defer o.Drop()
	_, _, origin := appMain()
	g := map[uint64]*Goroutine{7: Main(), 8: Main()}
	for _, c := range turns {
		k := &logger{stack: c.at, origin: origin, goid: c.goid, creator: 1, race: f}
		c.call.SetPlace(commrace.Place{Site: c.at.frames()[0], Frame: 64})
		if c.call.Method != load && c.call.Method != size {
			o.Begin(c.call, &g[c.goid].clock, k)
		}
		o.End(c.call, &g[c.goid].clock, k)
	}
	g[7].Exit()
	g[8].Exit()
}

// breachOf is the report of the last race of some calls that breaks a check and act, and its effect.
func breachOf(t *testing.T, turns ...turn) (text, effect string) {
	t.Helper()
	eachBreach(t, turns, func(r *race) {
		b := buffers.Get()
		b.reset()
		f := r.describe("kv.(*Map).")
		r.print(b, &f, "kv.(*Map).")
		text, effect = strings.Clone(b.string()), f.effect
		buffers.Put(b)
	})
	if text == "" {
		t.Fatal("no check and act is broken")
	}
	return text, effect
}

// TestBreachReports has a report of each kind.
func TestBreachReports(t *testing.T) {
	restore(t)
	options.strip = "/home/user/"
	checkAct("Load", "Store")
	put, get, main := appMain()
	const pkg = "github.com/commutego/commute/runtime"
	Register(siteLine(pkg, "cache.go", 12, "Load", "field", pkg, "Server.cache", "/home/user/app/cache.go:3"))
	missed := func() *commrace.Call { return callOf(load, "host", nil, false) }
	for name, turns := range map[string][]turn{
		"observed.txt":  {{7, put, missed()}, {8, main, callOf(store, "host", 2, nil, false)}, {7, get, callOf(store, "host", 1, 2, true)}},
		"predicted.txt": {{7, put, missed()}, {7, get, callOf(store, "host", 1, nil, false)}, {8, main, callOf(store, "host", 2, 1, true)}},
		"twin.txt":      {{7, put, missed()}, {7, get, callOf(store, "host", 1, nil, false)}, {8, put, callOf(load, "host", 1, true)}},
	} {
		text, _ := breachOf(t, turns...)
		golden(t, name, text)
	}
}

func TestBreachEffects(t *testing.T) {
	restore(t)
	checkAct("Load", "Store")
	checkAct("Len", "Store")
	put, get, main := appMain()
	for _, test := range []struct {
		name   string
		turns  []turn
		effect string
		says   string
	}{
		{"another's value", []turn{{7, put, callOf(load, 1, 5, true)}, {8, main, callOf(store, 1, 2)}, {7, get, callOf(store, 1, 3)}},
			term.LostUpdate, "what the other goroutine's Store changed is lost with Store, which goes by what Load saw before"},
		{"both make it", []turn{{7, put, callOf(load, 1, nil, false)}, {8, put, callOf(load, 1, nil, false)},
			{8, get, callOf(store, 1, 2)}, {7, get, callOf(store, 1, 3)}}, term.DuplicateWork, "both goroutines learn from Load"},
		{"both change it", []turn{{7, put, callOf(load, 1, 5, true)}, {8, put, callOf(load, 1, 5, true)},
			{8, get, callOf(store, 1, 2)}, {7, get, callOf(store, 1, 3)}}, term.LostUpdate, "goes by what Load saw before"},
		{"both may", []turn{{7, put, callOf(load, 1, 5, true)}, {7, get, callOf(store, 1, 2)}, {8, put, callOf(load, 1, 2, true)}},
			term.DuplicateWork, "nothing in the program forces the order of Store and the other goroutine's Load"},
		{"an arbiter has won", []turn{{7, put, callOf(load, 1, 5, true)}, {8, main, callOf(claim, 1, true)}, {7, get, callOf(store, 1, 3)}},
			"", ""}, // which Load does not see
		{"without a key", []turn{{7, put, callOf(size, 0)}, {7, get, callOf(store, 1, 2)}, {8, put, callOf(size, 1)}},
			term.DuplicateWork, "Len"},
	} {
		if test.effect == "" {
			eachBreach(t, test.turns, func(r *race) { t.Errorf("%s: a check and act is broken, by breach %d", test.name, r.Violation) })
			continue
		}
		text, effect := breachOf(t, test.turns...)
		if effect != test.effect || !strings.Contains(text, test.says) {
			t.Errorf("%s: %s, want %s that says %q in\n%s", test.name, effect, test.effect, test.says, text)
		}
	}
}

// TestBreachVerdicts says what becomes of a race that breaks a check and act, where others are not reported, or are not to be.
func TestBreachVerdicts(t *testing.T) {
	put, get, main := appMain()
	const pkg = "github.com/commutego/commute/runtime"
	where := func(s *stack) string {
		fr := s.top("")
		return fmt.Sprintf("%s\t%d", base(fr.File), fr.Line)
	}
	ignore := func(s *stack) string { return "ignore\t" + pkg + "\t" + where(s) + "\twhy\n" }
	for _, test := range []struct {
		name     string
		level    level
		lines    string
		rules    string
		plain    verdict // what becomes of the race of check and intruder
		breaking verdict
	}{
		{name: "races", level: races, plain: reported, breaking: reported},
		{name: "violations", level: violations, plain: tooMinor, breaking: reported},
		{name: "concurrent", level: races, lines: "concurrent\t" + pkg + "\tServer.cache\tcache.go\t3\twhy\n", plain: meant, breaking: reported},
		{name: "check ignored", level: races, lines: ignore(put), plain: ignored, breaking: ignored},
		{name: "act ignored", level: races, lines: ignore(get), plain: reported, breaking: ignored},
		{name: "intruder ignored", level: races, lines: ignore(main), plain: ignored, breaking: ignored},
		{name: "check suppressed", level: races, rules: "appPut", plain: suppressed, breaking: suppressed},
		{name: "act suppressed", level: races, rules: "appGet", plain: reported, breaking: suppressed},
	} {
		t.Run(test.name, func(t *testing.T) {
			restore(t)
			checkAct("Load", "Store")
			at := put.top("")
			Register(siteLine(pkg, base(at.File), at.Line, "Load", "field", pkg, "Server.cache", "/home/user/app/cache.go:3") +
				siteLine(pkg, base(get.top("").File), get.top("").Line, "Store", "field", pkg, "Server.cache", "/home/user/app/cache.go:3") + test.lines)
			options.level = test.level
			suppress(test.rules)
			got := map[bool]verdict{}
			check := func(r *race) {
				f := r.describe("kv.(*Map).")
				got[r.Violation != commrace.NoViolation] = r.judge(&f, "kv.(*Map).")
			}
			allRaces(t, []turn{{7, put, callOf(load, 1, nil, false)}, {8, main, callOf(store, 1, 2)}, {7, get, callOf(store, 1, 3)}}, check)
			if len(got) != 2 || got[false] != test.plain || got[true] != test.breaking {
				t.Errorf("verdicts %v, want %d and %d", got, test.plain, test.breaking)
			}
		})
	}
}

// TestBreachSummary lists findings by what is known of them, and then by what can go wrong.
func TestBreachSummary(t *testing.T) {
	restore(t)
	forget(t)
	table := mapTable(t)
	at := func(line int) host.Frame { return host.Frame{Func: "m.F", File: "/src/m.go", Line: line} }
	add := func(line int, breach commrace.Violation, effect string) {
		f := finding{table: table, breach: breach, effect: effect, decl: declaration{kind: "global", key: "m\tm", name: "m"}, count: 1}
		f.at, f.code = [2]host.Frame{at(line), at(line + 1)}, [2]uint64{uint64(line), uint64(line + 1)}
		if breach != commrace.NoViolation {
			f.check, f.seen = at(line-1), uint64(line-1)
		}
		f.intern()
	}
	add(10, commrace.NoViolation, term.StaleRead)
	add(20, commrace.NoViolation, term.LostUpdate)
	add(30, commrace.SymmetricCheck, term.DuplicateWork)
	add(40, commrace.Predicted, term.StaleCheck)
	add(50, commrace.Observed, term.DuplicateWork)
	add(60, commrace.Observed, term.LostUpdate)
	b := new(buffer)
	summary(b)
	golden(t, "summary.txt", b.string())
}

// TestWorsens has a finding of which more becomes known.
func TestWorsens(t *testing.T) {
	f := finding{breach: commrace.SymmetricCheck, effect: term.DuplicateWork, tells: 3}
	r := race{table: mapTable(t), Race: commrace.Race{Violation: commrace.SymmetricCheck, First: &commrace.Action{Method: store}, Second: &commrace.Action{Method: store}}}
	if f.worsens(&r) {
		t.Error("what was known makes it worse")
	}
	r.Violation, r.Check = commrace.Observed, &commrace.Action{}
	if !f.worsens(&r) || f.breach != commrace.Observed || f.effect != term.LostUpdate || f.tells != 0 {
		t.Errorf("what was observed makes %v of it", f)
	}
}

// TestDecides looks up pairs of calls.
func TestDecides(t *testing.T) {
	restore(t)
	table := mapTable(t)
	put, get, _ := appMain()
	a := func(method uint32, s *stack, frame uintptr) *commrace.Action {
		return &commrace.Action{Method: method, At: commrace.Place{Site: s.frames()[0], Frame: frame}}
	}
	var g *Goroutine
	if g.Checks(table, a(load, put, 64)) || g.Decides(table, a(load, put, 64), a(store, get, 64)) {
		t.Error("nothing is registered, and something is found")
	}
	checkAct("Load", "Store") // later, and seen all the same
	for _, test := range []struct {
		check, act *commrace.Action
		want       bool
	}{
		{a(load, put, 64), a(store, get, 64), true},
		{a(load, put, 64), a(store, get, 64), true}, // as remembered
		{a(load, put, 64), a(store, get, 80), false},
		{a(load, put, 64), a(swap, get, 64), false},
		{a(size, put, 64), a(store, get, 64), false},
		{a(load, get, 64), a(store, put, 64), false},
		{&commrace.Action{Method: load}, &commrace.Action{Method: store}, false},
	} {
		if got := g.Decides(table, test.check, test.act); got != test.want {
			t.Errorf("Decides(%v at %v, %v at %v) is %v", test.check.Method, test.check.At, test.act.Method, test.act.At, got)
		}
	}
	if !g.Checks(table, a(load, put, 64)) || g.Checks(table, a(load, get, 64)) {
		t.Error("checks are not told from others")
	}
}
