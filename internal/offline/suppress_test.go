// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/hb"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

func TestRules(t *testing.T) {
	rules := ParseRules("# nothing\n\n  cache.m  # a field\r\n^p.f$\nq*Store$\n")
	if len(rules) != 3 {
		t.Fatalf("%d rules, want 3", len(rules))
	}
	for text, want := range map[string]bool{
		"": false, "the cache.m here": true, "cacheXm": false,
		"p.f": true, "p.f.func1": false, "xp.f": false,
		"q.(*T).Store": true, "q.Stored": false,
	} {
		if got := rules.match(text); got != want {
			t.Errorf("%q is matched: %v, want %v", text, got, want)
		}
	}
}

// TestRulesOfRaces has two races, and a rule for a function that is in one of them.
func TestRulesOfRaces(t *testing.T) {
	p := trace.NewProgram()
	p.SetGoroutine(0, 1, 0, 0)
	for i, f := range []string{"p.first", "p.second", "p.caller"} {
		p.SetFrame(uint32(i)+1, 0, uint32(i), f, "/p/p.go")
	}
	relation, _ := event.NewRelation(0)
	for _, test := range []struct {
		rules string
		want  []uint32
	}{{"", []uint32{1, 2}}, {"second", []uint32{1}}, {"p.go", nil}} {
		fresh := races(func(r *event.Relation) event.RaceChecker { return hb.New(r) })
		c := fresh(relation).(*raceChecker)
		c.program, c.rules = p, ParseRules(test.rules)
		var got []uint32
		c.take([]event.Event{
			{Op: event.Write, Thread: 1, Target: 0, Pos: 1},
			{Op: event.Write, Thread: 1, Target: 1, Pos: 2},
			{Op: event.Write, Thread: 2, Target: 0, Pos: 1},
			{Op: event.Write, Thread: 2, Target: 1, Pos: 2},
		}, true, func(f Finding) { got = append(got, f.At.Event.Pos) })
		if !slices.Equal(got, test.want) {
			t.Errorf("with rules %q races are found at %d, want %d", test.rules, got, test.want)
		}
	}
}
