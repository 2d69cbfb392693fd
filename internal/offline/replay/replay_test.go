// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/callrace"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// programOf has a type with a method for each point, which touches that. None is an observer:
// others have nothing to learn from an observation that is repeated, where the plain algorithm has
// them learn of all that came before it.
func programOf(points uint32) *trace.Program {
	p := trace.NewProgram()
	p.SetSpecified("p.T", 0, 0, points, points, 0)
	for i := range points {
		p.SetPoint(i, "p.T", fmt.Sprint("P", i))
		p.SetMethod(i, "p.T", fmt.Sprint("M", i))
		p.SetShape(i, uint64("am"[i%2])<<spec.RoleShift, 0, "", "")
		p.SetCases(i, 0, string([]byte{1, byte(i << 2)}))
	}
	return p
}

// stepsOf makes a call of each touch of a trace. The beginnings of half of them are lost.
func stepsOf(tr tracegen.Trace) (steps []trace.CallStep) {
	for i, e := range tr.Events {
		if e.Op != event.Touch {
			continue
		}
		s := trace.CallStep{
			Event: uint64(i), Kind: event.Call, Thread: e.Thread, Object: e.Target, Pos: e.Pos,
			Method: e.Point, Touches: 1,
		}
		if e.Point%2 == 1 {
			enter := s
			enter.Kind = event.Enter
			steps = append(steps, enter)
		}
		steps = append(steps, s)
	}
	return steps
}

// TestAgreesWithCallrace has touches of random traces as calls, and wants a race wherever the
// algorithm in its plain form, and happens-before by its definition, have one.
func TestAgreesWithCallrace(t *testing.T) {
	races, none := 0, 0
	tracegen.Each(t, 10000, func(tr tracegen.Trace) error {
		found := make(map[uint64][]event.Step)
		r := New(programOf(tr.Relation.Points()), func(r Race) {
			found[r.Second.Index] = append(found[r.Second.Index], r.First)
		})
		defer r.Close()
		r.Relation(tr.Relation)
		r.Events(tr.Events, stepsOf(tr))
		plain := callrace.New(tr.Relation)
		for i, want := range tracegen.Races(tr) {
			e := &tr.Events[i]
			if plain.Event(e) != (len(found[uint64(i)]) > 0) {
				return fmt.Errorf("event %d races with %v, and is found with %v", i, want,
					found[uint64(i)])
			}
			for _, first := range found[uint64(i)] {
				if !slices.ContainsFunc(want, func(j int) bool {
					f := &tr.Events[j]
					return f.Thread == first.Event.Thread && f.Point == first.Event.Point
				}) {
					return fmt.Errorf("event %d races with %v, and is found with %+v", i, want,
						first)
				}
				races++
			}
			if e.Op == event.Touch && len(want) == 0 {
				none++
			}
		}
		return nil
	})
	if races < 1000 || none < races {
		t.Errorf("%d races, %d calls without: that is too one-sided to mean much", races, none)
	}
}

// A script is a trace of a map with Load, which observes, and Store, which stores; both of one key.
type script struct {
	t      *testing.T
	replay *Replay
	index  uint64
	found  []Race
	frames map[uint32]uint64 // the activations that threads are in
}

const (
	load  = 0
	store = 1
)

// newScript has a map, on which equal stores commute, and places 1 and 2: loads at the first decide
// about stores at the second.
func newScript(t *testing.T) *script {
	p := trace.NewProgram()
	p.SetSpecified("p.Map", 0, 0, 2, 2, 3)
	for i, name := range []string{"Load", "Store"} {
		p.SetPoint(uint32(i), "p.Map", name)
		p.SetMethod(uint32(i), "p.Map", name)
		p.SetShape(uint32(i), uint64("om"[i])<<spec.RoleShift, 1, "key,value", "")
		p.SetCases(uint32(i), 0, string([]byte{1, byte(i << 2)}))
		p.SetFrame(uint32(i)+1, 0, uint32(10*i+10), "p.f", "/p/f.go")
		p.SetPC(uint32(i)+1, uint64(i)+100)
	}
	p.SetException(store, store, string([]byte{'=', 0, 1, 1}))
	check := p.Call(1, load)
	p.SetAct(1, load, trace.Act{File: "f.go", Line: 20, Method: "Store"})
	act := p.Call(2, store)
	if check != spot(load) || act != spot(store) {
		t.Fatalf("positions are %d and %d", check, act)
	}
	relation, err := event.NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, frames: map[uint32]uint64{0: 1, 1: 2}}
	s.replay = New(p, func(r Race) {
		// An action is good during the call only.
		kept := Race{First: r.First, Second: r.Second}
		kept.Violation = r.Violation
		s.found = append(s.found, kept)
	})
	s.replay.Relation(relation)
	return s
}

// spot is the position of a call: see trace.Program.
func spot(method uint32) uint32 { return 1<<28 + method }

// call makes a call of a thread with a value.
func (s *script) call(thread, method uint32, value uint64) {
	steps := []trace.CallStep{{
		Event: s.index, Kind: event.Call, Thread: thread, Method: method, Pos: spot(method),
		Touches: 1, Values: []trace.Value{
			{What: spec.Frame, Value: s.frames[thread]}, {What: spec.KeptOf, Value: 8},
			{What: spec.KeptOf + 1, Value: value},
		},
	}}
	if method == store {
		enter := trace.CallStep{Event: s.index, Kind: event.Enter, Thread: thread, Method: method}
		steps = append([]trace.CallStep{enter}, steps...)
	}
	touch := event.Event{Op: event.Touch, Thread: thread, Point: method, Pos: spot(method)}
	s.replay.Events([]event.Event{touch}, steps)
	s.index++
}

// TestVerdicts has calls whose values and places decide what becomes of a race.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(s *script)
		want []commrace.Violation
	}{
		{"equal values", func(s *script) { s.call(0, store, 2); s.call(1, store, 2) }, nil},
		{"other values", func(s *script) { s.call(0, store, 2); s.call(1, store, 4) },
			[]commrace.Violation{commrace.NoViolation}},
		{"between", func(s *script) {
			s.call(0, load, 2)
			s.call(1, store, 4)
			s.call(0, store, 6)
		}, []commrace.Violation{commrace.NoViolation, commrace.Observed}},
		{"after", func(s *script) {
			s.call(0, load, 2)
			s.call(0, store, 6)
			s.call(1, store, 4)
		}, []commrace.Violation{commrace.Predicted}},
		{"the same check", func(s *script) {
			s.call(0, load, 2)
			s.call(0, store, 6)
			s.call(1, load, 2)
		}, []commrace.Violation{commrace.SymmetricCheck}},
		{"another activation", func(s *script) {
			s.call(0, load, 2)
			s.frames[0] = 7
			s.call(0, store, 6)
			s.call(1, store, 4)
		}, []commrace.Violation{commrace.NoViolation}},
	} {
		s := newScript(t)
		test.run(s)
		var got []commrace.Violation
		for _, r := range s.found {
			got = append(got, r.Violation)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		s.replay.Close()
	}
}
