// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// TestLog logs random programs by each policy. Made again by policy Forced from what the log says
// was not the default, each has the same choices and the same hash.
func TestLog(t *testing.T) {
	many := 0
	for _, spec := range specs {
		for seed := range int64(30) {
			m := newMachine(t, spec, 3)
			m.c.Log.Turn(true)
			r := rand.New(rand.NewSource(seed))
			for range 1500 {
				m.step(r)
			}
			want, _ := m.c.Done()
			n, all := m.c.Log.Len()
			forced, count := "forced-7", 0
			for i := range n {
				if e := m.c.Log.At(i); e.What == Chosen && e.N != 0 {
					if m.choices[e.N-1] != e.Choice || e.Of < 2 {
						t.Fatalf("%s: decision %d is logged as %d of %d", spec, e.N, e.Choice, e.Of)
					}
					if !e.Usual {
						forced += fmt.Sprintf("-%d.%d", e.N, e.Choice)
						count++
					}
				}
			}
			many = max(many, count)
			again := newMachine(t, forced, 3)
			r = rand.New(rand.NewSource(seed))
			for range 1500 {
				again.step(r)
			}
			got, _ := again.c.Done()
			if !all || !slices.Equal(again.choices, m.choices) || got.Hash != want.Hash ||
				got.Forced != uint32(count) {
				t.Fatalf("%s, program %d: another run by %s", spec, seed, forced)
			}
		}
	}
	if many < 100 {
		t.Errorf("at most %d decisions are forced", many)
	}
}

// TestAnchored makes random programs again from the places of the decisions that were not the
// default: most have the same choices. One that is left out leaves those before it as they were.
func TestAnchored(t *testing.T) {
	same, ran := 0, 0
	for _, spec := range specs {
		for seed := range int64(30) {
			run := func(spec string) (m *machine, anchors []string) {
				m = newMachine(t, spec, 3)
				m.c.Log.Turn(true)
				// each task has a program of its own, whoever runs before it
				for range 60 {
					task := m.c.Task(m.holder)
					r := rand.New(rand.NewSource(seed + int64(task.Name) + int64(task.done)))
					m.c.Operate(m.holder, uintptr(r.Intn(5)*8+4096), Lock, 0)
					m.choose(m.holder)
				}
				n, _ := m.c.Log.Len()
				for i := range n {
					if e := m.c.Log.At(i); e.What == Chosen && e.N != 0 && !e.Usual {
						anchors = append(anchors, fmt.Sprintf("-%x.%x", e.PC, e.To))
					}
				}
				return m, anchors
			}
			m, anchors := run(spec)
			text := "anchored-7"
			for _, a := range anchors {
				text += a
			}
			again, _ := run(text)
			ran++
			if slices.Equal(again.choices, m.choices) {
				same++
			}
		}
	}
	if same < ran*9/10 {
		t.Errorf("%d of %d runs are the same by their anchors", same, ran)
	}
}
