// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// TestForcedAsDrawn runs programs by policies that draw, and then by the decisions alone that were
// not the default: these runs are the same. Each program draws numbers by its seed, too.
func TestForcedAsDrawn(t *testing.T) {
	t.Parallel()
	b := build(t, "explore", "")
	all, err := b.Tests()
	if err != nil {
		t.Fatal(err)
	}
	compared, forced := 0, 0
	for i, name := range all {
		s := drawn(7, name, i)
		run := func(s Seed) *run {
			ran, err := b.process(processPlan{test: name, timeout: time.Minute, log: true,
				seeds: []Seed{s}})
			if err != nil || len(ran.runs) != 1 || !ran.runs[0].ended || ran.runs[0].log == nil {
				t.Fatalf("%s by %v: nothing is told: %v\n%s", name, s, err, ran.output)
			}
			return &ran.runs[0]
		}
		want := run(s)
		forces := want.log.forces()
		forced += len(forces)
		again := Seed{Policy: engine.Forced, Number: s.Number, Forces: forces}
		got := run(again)
		switch {
		case want.arrivals > 0 || got.arrivals > 0: // runs may differ
		case got.hash != want.hash || got.forced != len(forces) || got.random != want.random ||
			!slices.Equal(got.log.steps, want.log.steps):
			t.Errorf("%s by %v: %d of %d forced, %d points of %d", name, again, got.forced,
				len(forces), got.points, want.points)
			for i, s := range want.log.steps {
				if i >= len(got.log.steps) || s != got.log.steps[i] {
					t.Logf("first difference: %v", s)
					break
				}
			}
		default:
			compared++
		}
	}
	if 4*compared < 3*len(all) || forced < len(all) {
		t.Errorf("%d of %d runs are the same, by %d forced decisions", compared, len(all), forced)
	}
}
