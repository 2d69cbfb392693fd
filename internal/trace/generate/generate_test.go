// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package generate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestShapes wants each shape to be well-formed, to be the same each time, and to be serializable
// by the definition, but for "late".
func TestShapes(t *testing.T) {
	for _, s := range generate.Shapes {
		for seed := range uint64(5) {
			p := generate.Params{Shape: s.Name, Events: 3000, Seed: seed}
			list, err := generate.All(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := event.Check(list, nil, true); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
			if again, _ := generate.All(p); !slices.Equal(again, list) {
				t.Errorf("%s is another the second time", s.Name)
			}
			c := frontier.New(nil)
			var found []int
			for i := range list {
				if c.Event(&list[i]) {
					found = append(found, len(list)-i)
				}
			}
			if s.Name == "late" && !slices.Equal(found, []int{2}) ||
				s.Name != "late" && found != nil {
				t.Errorf("%s: violations so many events before the end: %v", s.Name, found)
			}
			p.Seed += 100
			if other, _ := generate.All(p); slices.Equal(other, list) {
				t.Errorf("%s is the same with another seed", s.Name)
			}
		}
		p := generate.Params{Shape: s.Name, Events: 400, Threads: 5, Locks: 3, Vars: 40, Length: 9}
		list, err := generate.All(p)
		if err != nil {
			t.Fatal(err)
		}
		o := tracegen.NewOracle(nil)
		for i := range list {
			if e := list[i]; e.Thread >= 5 || e.Op == event.Acquire && e.Target >= 3 ||
				e.Op == event.Read && e.Target >= 40 {
				t.Fatalf("%s: %v is beyond the sizes", s.Name, e)
			}
			if o.Event(&list[i]) != (s.Name == "late" && i == len(list)-2) {
				t.Errorf("%s: a violation, or none, at event %d", s.Name, i)
			}
		}
	}
}

// TestViolation wants a violation in each shape where it is asked for, at its last event but one,
// or in shape long at its last, and none before.
func TestViolation(t *testing.T) {
	for _, s := range generate.Shapes {
		if s.Name == "late" {
			continue
		}
		for _, at := range []uint64{5, 50, 1996} {
			for seed := range uint64(5) {
				list, err := generate.All(generate.Params{Shape: s.Name, Events: 2000,
					Violation: at, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if err := event.Check(list, nil, true); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
				want := at + 3
				if s.Name == "long" {
					want++
				}
				c, o := frontier.New(nil), tracegen.NewOracle(nil)
				for i := range list[:min(want, 300)] {
					if found := o.Event(&list[i]); found != (uint64(i)+1 == want) {
						t.Errorf("%s, violation at %d: found is %v at %d", s.Name, at, found, i+1)
					}
				}
				for i := range list[:want] {
					if found := c.Event(&list[i]); found != (uint64(i)+1 == want) {
						t.Errorf("%s, violation at %d: found is %v at %d", s.Name, at, found, i+1)
					}
				}
			}
		}
	}
}

// TestOneThread wants the shapes that need no other to do with one.
func TestOneThread(t *testing.T) {
	for _, shape := range []string{"locked", "independent", "variables", "threads"} {
		list, err := generate.All(generate.Params{Shape: shape, Events: 100, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := event.Check(list, nil, true); err != nil {
			t.Errorf("%s: %v", shape, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for want, p := range map[string]generate.Params{
		`unknown shape "round" (there are locked, `: {Shape: "round", Events: 1},
		"a trace of no events":                      {Shape: "locked"},
		"1 threads are too few for shape producers": {Shape: "producers", Events: 1, Threads: 1},
		"2 threads are too few for shape locked": {Shape: "locked", Events: 9, Threads: 2,
			Violation: 3},
		"3 threads are too few for shape long": {Shape: "long", Events: 1, Threads: 3},
		"4 threads are too few for shape long": {Shape: "long", Events: 9, Threads: 4,
			Violation: 5},
		"a violation at event 10 of 9":              {Shape: "locked", Events: 9, Violation: 10},
		"a violation at event 4, want it after the": {Shape: "long", Events: 9, Violation: 4},
		"17 variables are too few for 9 threads an": {Shape: "long", Events: 9, Vars: 17},
		"2 threads are too few for shape late":      {Shape: "late", Events: 1, Threads: 2},
		"3 variables are too few for 9 threads and": {Shape: "locked", Events: 1, Vars: 3},
	} {
		if _, err := generate.New(p); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", p, err, want)
		}
	}
}
