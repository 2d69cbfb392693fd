// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// check has a checker look at a trace.
func check(t *testing.T, tr tracegen.Trace, o Options) (list []*Violation, counts Counts) {
	t.Helper()
	c := New(tr.Relation, o, func(v *Violation) bool {
		list = append(list, v)
		return false
	})
	d := reorder.Decoder{Mutexes: tr.Mutexes}
	for i := range tr.Events {
		c.Take(&tr.Events[i], d.Step(&tr.Events[i]))
	}
	c.End()
	for _, err := range c.unproven {
		t.Fatalf("not proven: %v\n%v", err, tr)
	}
	return list, c.Counts
}

// TestChecker has a checker find something in a trace just if one of all orders has a cycle, if the
// trace is one window; and nothing else if it is several. All transactions are counted.
func TestChecker(t *testing.T) {
	found, none, inWindows := 0, 0, 0
	for seed := range count() {
		tr := brute.Random(seed)
		tr.Piece = brute.Whole(tr.Trace)
		all := brute.Search{Piece: tr.Piece, Relation: tr.Relation, Nodes: nodes}
		if !all.Run() {
			continue
		}
		list, counts := check(t, tr.Trace, Options{})
		if (len(list) > 0) != (len(all.OnCycle) > 0) || counts.GaveUp > 0 {
			t.Fatalf("trace %d: found %d, %+v, on cycles are %v\n%v", seed, len(list), counts,
				all.OnCycle, tr)
		}
		if len(list) > 0 {
			found++
		} else {
			none++
		}
		judgeAll(t, tr.Trace, list, counts)
		list, counts = check(t, tr.Trace, Options{Window: 6})
		if len(list) > 0 && len(all.OnCycle) == 0 {
			t.Fatalf("trace %d: found %d in windows\n%v", seed, len(list), tr)
		}
		if len(list) > 0 {
			inWindows++
		}
		judgeAll(t, tr.Trace, list, counts)
	}
	t.Logf("%d found, %d not, %d in windows", found, none, inWindows)
	if found == 0 || none == 0 || inWindows == 0 || inWindows >= found {
		t.Error("that is one-sided")
	}
}

// judgeAll wants what was found to be right: the witness is a well-formed trace in which package
// frontier finds a violation, and the counts add up.
func judgeAll(t *testing.T, tr tracegen.Trace, list []*Violation, c Counts) {
	t.Helper()
	if c.All != c.Filtered+c.Found+c.None+c.GaveUp {
		t.Fatalf("%+v doesn't add up\n%v", c, tr)
	}
	for _, v := range list {
		var events []event.Event
		f, found := frontier.New(tr.Relation), false
		for _, s := range v.Witness.Events {
			if s.Event != tr.Events[s.Index] {
				t.Fatalf("event %d is another one\n%v", s.Index, tr)
			}
			events = append(events, s.Event)
			found = f.Event(&s.Event) || found
		}
		if err := event.Check(events, tr.Relation, tr.Mutexes); err != nil || !found {
			t.Fatalf("%v: frontier finds %v, error %v\n%v", v.Witness.Events, found, err, tr)
		}
	}
}

// TestTellsCounts has verdicts differ, and the budget end the search.
func TestTellsCounts(t *testing.T) {
	var events []event.Event
	for _, c := range []struct {
		text   string
		budget int
		want   Counts
	}{
		{"0> 0rx 0< 1wx", 0, Counts{All: 1, Filtered: 1}},
		{"1wx 0> 0rx 0rx 0< 1wx", 0, Counts{All: 1, Found: 1}},
		{"0> 0rx 0wx 0< 1+l 1rx 1-l", 0, Counts{All: 1, Filtered: 1}},
		{"0> 0wx 0wy 0< 1wx 2wy", 0, Counts{All: 1, Filtered: 1}},
		{"0> 0wx 0wy 0< 1> 1ry 1wx 1<", 0, Counts{All: 2, Filtered: 1, None: 1}},
		{"0> 0wx 0wy 0< 1> 1ry 1wx 1<", 2, Counts{All: 2, Filtered: 1, GaveUp: 1}},
		{"0> 0wx 0wy 0< 1> 1ry 1wx 1< 0> 0wa 0wb 0< 1> 1rb 1wa 1<", 0,
			Counts{All: 4, Filtered: 2, None: 2}},
	} {
		events = tracegen.Parse(c.text)
		_, got := check(t, tracegen.Trace{Events: events, Mutexes: true}, Options{Budget: c.budget})
		if n := got.Static + got.StaticTAS + got.Forest; n != got.Filtered {
			t.Errorf("%s: filters passed %d: %+v", c.text, n, got)
		}
		got = Counts{All: got.All, Filtered: got.Filtered, Found: got.Found, None: got.None,
			GaveUp: got.GaveUp}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
	}
}

// TestBeforeWindow has a window know which locks are held where it begins, and what is open.
func TestBeforeWindow(t *testing.T) {
	filler := strings.Repeat(" 2rz", 9)
	for text, want := range map[string]int{
		"0+l" + filler + " 0> 0wx 0wx 0< 0-l 1+l 1wx 1-l": 0,
		"0+m" + filler + " 0> 0wx 0wx 0< 0-m 1+l 1wx 1-l": 1,
		"0>" + filler + " 0wx 0wx 0< 1wx":                 0, // it belongs to the first window
	} {
		tr := tracegen.Trace{Events: tracegen.Parse(text), Mutexes: true}
		if list, counts := check(t, tr, Options{Window: 10}); len(list) != want ||
			counts.All != 1 || counts.Found != uint64(want) {
			t.Errorf("%s: %d found, %+v, want %d", text, len(list), counts, want)
		}
	}
}

// TestCut has no order reach across a cut, and what is open there be known after it.
func TestCut(t *testing.T) {
	events := tracegen.Parse("0+m 1+l 1wx 1-l 0> 0+l 0wx 0-l 0+l 0wx 0-l 0< 0-m")
	for at, want := range map[int]int{len(events): 1, 1: 1, 4: 0} {
		found := 0
		c := New(nil, Options{}, func(*Violation) bool {
			found++
			return false
		})
		d := reorder.Decoder{Mutexes: true}
		for i := range events {
			if i == at {
				c.Cut()
			}
			c.Take(&events[i], d.Step(&events[i]))
		}
		c.End()
		if found != want || c.Counts.All != 1 {
			t.Errorf("a cut before event %d: %d found, want %d; %+v", at, found, want, c.Counts)
		}
	}
}
