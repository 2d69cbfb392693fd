// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// TestPick takes schedules with one forced switch out of random searches, by seeds that are made
// up, before and after the search has begun. All that are to be run are handed out once.
func TestPick(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		one := run{ended: true, hash: "a"}
		left := make(map[engine.Force]bool) // to be run
		for i := range 1 + r.Intn(20) {
			c := choice{candidates: 2 + r.Intn(3), hot: r.Intn(2) == 0, hash: "b"}
			c.usual = r.Intn(2)
			one.choices = append(one.choices, c)
			for n := range c.candidates {
				if n != c.usual {
					left[engine.Force{Decision: uint32(i + 1), Choice: uint32(n)}] = true
				}
			}
		}
		one.decisions = len(one.choices)
		s := newSearch(Shard{}, r.Intn(50))
		s.first(one)
		get := func(j job) {
			f := j.seed.Forces[0]
			if !left[f] {
				t.Fatalf("%v is handed out, and was not to be run", f)
			}
			delete(left, f)
			s.lose(j)
		}
		for len(left) > 0 {
			seed := Seed{Policy: engine.Forced, Forces: []engine.Force{{
				Decision: uint32(r.Intn(22)), Choice: uint32(r.Intn(5))}}}
			switch r.Intn(8) {
			case 0:
				for _, j := range s.next(1+r.Intn(3), func(order) bool { return true }) {
					get(j)
				}
				continue
			case 1:
				seed.Policy = engine.Pair
			case 2:
				seed.Number = 7
			case 3:
				seed.Forces = append(seed.Forces, engine.Force{Decision: 99})
			default:
				if j, ok := s.pick(seed); ok != left[seed.Forces[0]] {
					t.Fatalf("%v: %v, want %v", seed, ok, !ok)
				} else if ok {
					get(j)
				}
				continue
			}
			if _, ok := s.pick(seed); ok {
				t.Fatalf("%v is none with one forced switch", seed)
			}
		}
		if s.left() || len(s.next(9, func(order) bool { return true })) > 0 {
			t.Fatal("there are more")
		}
	}
}
