// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/reorder"
)

// TestModeCells is of made-up output of commute analyze.
func TestModeCells(t *testing.T) {
	u := &measured{}
	if err := u.read([]byte(`{"checks":[{"check":"avp","blocks":{"n":10,"filtered":6,"found":1,
		"none":2,"gave_up":1,"static":3,"static_tas":1,"forest":2,"tas":5,"tas_steps":50,
		"window_steps":200,"states":77}}]}`)); err != nil {
		t.Fatal(err)
	}
	want := []string{"Tsp", "no TAS", "10", "40.0%", "60.0%", "25.0%", "1", "2", "1", "77",
		"0.00 s"}
	if got := u.modeCells("Tsp", "no TAS"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := new(trial).modeCells("Tsp", "no TAS"); got[3] != "0.0%" || got[5] != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestModes wants violations in the same programs in all modes of the paper but the bounded one.
// The conditions of package forest pass a transaction that only comes between others.
func TestModes(t *testing.T) {
	for _, p := range programs.Predicted {
		r := p.Run(3, 1)
		var all uint64
		for i, o := range []avp.Options{
			{}, {NoForest: true}, {NoForest: true, NoTAS: true}, {NoForest: true, NoStatic: true},
		} {
			c := avp.New(nil, o, func(*avp.Violation) bool { return false })
			d := reorder.Decoder{Mutexes: true}
			for i := range r.Events {
				c.Take(&r.Events[i], d.Step(&r.Events[i]))
			}
			c.End()
			n := &c.Counts
			if i == 0 {
				all = n.Found
			}
			if n.Found < all || n.Found > 0 != (all > 0) || n.All == 0 {
				t.Errorf("%s: %+v finds %d of %d, and %d with all filters", p.Name, o, n.Found,
					n.All, all)
			}
		}
	}
}
