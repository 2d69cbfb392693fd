// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func TestCases(t *testing.T) {
	for _, c := range tracegen.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var want []int
			if c.AeroDrome >= 0 {
				want = []int{c.AeroDrome}
			}
			for _, checker := range []event.Checker{NewBasic(tracegen.MapRelation),
				New(tracegen.MapRelation)} {
				if got := c.Run(checker); !slices.Equal(got, want) {
					t.Errorf("%s: %T declares a violation at %v, want %v", c.Text, checker, got,
						want)
				}
			}
		})
	}
}

// A row has the clocks that figures 5 to 7 show after an event: those that it changes. For figure 7
// it also has W_y after the end e6, from the paper's text.
type row map[string][]uint32

func TestFigures(t *testing.T) {
	figures := []struct {
		name    string
		text    string
		rows    []row
		declare int
	}{
		{"figure 5, rho2", "0> 1> 0wx 1rx 1wy 0ry", []row{
			{"C0": {2, 0}}, {"C1": {0, 2}}, {"Wx": {2, 0}}, {"C1": {2, 2}}, {"Wy": {2, 2}}, {},
		}, 5},
		{"figure 6, rho3", "0> 1> 0wx 1wy 0ry 1rx 0<", []row{
			{"C0": {2, 0}}, {"C1": {0, 2}}, {"Wx": {2, 0}}, {"Wy": {0, 2}}, {"C0": {2, 2}},
			{"C1": {2, 2}}, {},
		}, 6},
		{"figure 7, rho4", "0> 0wx 1> 1wy 1rx 1< 2> 2ry 2wz 2< 0rz", []row{
			{"C0": {2, 0, 0}}, {"Wx": {2, 0, 0}}, {"C1": {0, 2, 0}}, {"Wy": {0, 2, 0}},
			{"C1": {2, 2, 0}}, {"Wy": {2, 2, 0}},
			{"C2": {0, 0, 2}}, {"C2": {2, 2, 2}}, {"Wz": {2, 2, 2}}, {}, {},
		}, 10},
	}
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			basic, optimised := NewBasic(nil), New(nil)
			// What the figures start from.
			want := row{"C0": {1, 0, 0}, "C1": {0, 1, 0}, "C2": {0, 0, 1}, "Wx": {0, 0, 0},
				"Wy": {0, 0, 0}, "Wz": {0, 0, 0}}
			for i := range uint32(3) {
				basic.addThread(i)
				optimised.addThread(i)
			}
			for i, e := range tracegen.Parse(f.text) {
				declared := basic.Event(&e)
				if optimised.Event(&e) != declared || declared != (i == f.declare) {
					t.Fatalf("event %d: declared is %v", i, declared)
				}
				for name, value := range f.rows[i] {
					want[name] = value
				}
				if declared || e.Op == event.End && i > 6 {
					break // the figures do not show what changes here
				}
				for name, value := range want {
					if got := basicClock(basic, name); !same(got, value) {
						t.Errorf("event %d: Basic's %s is %v, want %v", i, name, got, value)
					}
					if got := optimisedClock(optimised, name); !sameOfRunning(optimised, got,
						value) {
						t.Errorf("event %d: Optimised's %s is %v, want %v where transactions run",
							i, name, got, value)
					}
				}
			}
		})
	}
}

func same(c, d clock) bool { return c.before(d) && d.before(c) }

// sameOfRunning compares what clocks say of running transactions, which is all that Optimised
// keeps.
func sameOfRunning(o *Optimised, c, d clock) bool {
	for t := range o.threads {
		th, a, b := &o.threads[t], c.at(uint32(t)), d.at(uint32(t))
		if a != b && (th.running(a) || th.running(b)) {
			return false
		}
	}
	return true
}

func basicClock(b *Basic, name string) clock {
	if name[0] == 'C' {
		return b.threads[name[1]-'0'].c
	}
	return b.variable(uint32(name[1] - 'a')).w
}

func optimisedClock(o *Optimised, name string) clock {
	if name[0] == 'C' {
		th := &o.threads[name[1]-'0']
		c := append(clock(nil), th.others...)
		c.set(th.thread, th.own)
		return c
	}
	var c clock
	var scratch [1]component
	for _, e := range o.snapshots.components(o.variable(uint32(name[1]-'a')).w, &scratch) {
		c.set(e.thread, e.time)
	}
	return c
}
