// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

import (
	"reflect"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// all are the programs of both papers.
var all = slices.Concat(CommitNodes, Predicted)

// TestRuns wants traces whose locks are mutexes, and all of whose methods are those of the program.
func TestRuns(t *testing.T) {
	for _, p := range all {
		for seed := range uint64(20) {
			r := p.Run(seed, 2)
			v := event.Validator{Mutexes: true}
			for i := range r.Events {
				if err := v.Event(&r.Events[i]); err != nil {
					t.Fatalf("%s, seed %d: event %d, %v: %v", p.Name, seed, i, r.Events[i], err)
				}
			}
			methods := make(map[string]bool)
			for i := range r.Events {
				if e := &r.Events[i]; e.Op == event.Begin {
					methods[r.Methods[e.Pos]] = true
				}
			}
			for _, name := range slices.Concat(p.Bugs, p.Benign) {
				if !methods[name] {
					t.Errorf("%s, seed %d: %s never runs", p.Name, seed, name)
				}
			}
			if methods[""] {
				t.Errorf("%s, seed %d: a transaction has no name", p.Name, seed)
			}
		}
	}
}

// TestSeeds wants a seed to determine the run, and different ones to lead to different runs.
func TestSeeds(t *testing.T) {
	for _, p := range all {
		first := p.Run(1, 2)
		if !reflect.DeepEqual(first, p.Run(1, 2)) {
			t.Errorf("%s: two runs of a seed differ", p.Name)
		}
		if reflect.DeepEqual(first, p.Run(2, 2)) {
			t.Errorf("%s: runs of two seeds are equal", p.Name)
		}
		if more := p.Run(1, 4); len(more.Events) <= len(first.Events) {
			t.Errorf("%s: more work has %d events, less has %d", p.Name, len(more.Events),
				len(first.Events))
		}
	}
}

// TestWaits has threads that wait for each other, which no program may.
func TestWaits(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("there is no panic")
		}
	}()
	m := newMachine(1)
	m.run(func(t *thread) {
		l := t.mutex()
		t.lock(l)
		t.together(func(t *thread) { t.lock(l) })
	})
}

// TestAgain has a lock taken twice, and let go twice.
func TestAgain(t *testing.T) {
	m := newMachine(1)
	m.run(func(t *thread) {
		l, c := t.mutex(), t.cell()
		t.lock(l)
		t.lock(l)
		t.unlock(l)
		t.set(c, 1)
		t.unlock(l)
	})
	var ops []event.Kind
	for i := range m.events {
		ops = append(ops, m.events[i].Op)
	}
	if want := []event.Kind{event.Acquire, event.Write, event.Release}; !slices.Equal(ops, want) {
		t.Errorf("the events are %v, want %v", ops, want)
	}
}
