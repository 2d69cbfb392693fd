// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestThreadSet compares sets with maps.
func TestThreadSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var sets [2]threadSet
	models := [2]map[uint32]bool{{}, {}}
	for step := range 20000 {
		i := r.IntN(2)
		s, m := &sets[i], models[i]
		switch u := r.Uint32N(200); r.IntN(20) {
		case 0:
			*s, models[i] = threadSet{}, map[uint32]bool{}
			m = models[i]
			sets[1-i].each(func(u uint32) { s.add(u); m[u] = true })
			if len(m) != len(models[1-i]) {
				t.Fatalf("step %d: %d threads of %d", step, len(m), len(models[1-i]))
			}
		case 1:
			var missing, want []uint32
			sets[1-i].addMissing(s, func(u uint32) { missing = append(missing, u) })
			for u := range models[1-i] {
				if !m[u] {
					want = append(want, u)
					m[u] = true
				}
			}
			slices.Sort(want)
			if !slices.Equal(missing, want) {
				t.Fatalf("step %d: %v were missing, want %v", step, missing, want)
			}
		case 2, 3, 4, 5, 6, 7:
			s.add(u)
			m[u] = true
		default:
			s.remove(u)
			delete(m, u)
		}
		if s.empty() != (len(m) == 0) {
			t.Fatalf("step %d: that a set of %d is empty is %v", step, len(m), s.empty())
		}
		u := r.Uint32N(200)
		if s.has(u) != m[u] || u >= 64 && s.anyHigh(func(v uint32) bool { return u == v }) != m[u] {
			t.Fatalf("step %d: that %d is there is not %v", step, u, m[u])
		}
	}
}
