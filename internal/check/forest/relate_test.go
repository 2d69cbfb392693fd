// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// slowly is schedule.do by all operations that are done.
func (s *schedule) slowly(c cut, i int) (next cut, cyclic bool) {
	l := &s.lanes[i]
	o := &l.ops[c.done[i]]
	for j := range s.lanes {
		m := &s.lanes[j]
		for k := range m.ops[:c.done[j]] {
			p := &m.ops[k]
			meet := p.access != nil && o.access != nil && p.access.item == o.access.item &&
				s.conflict(o.access.item, p.access.kind, o.access.kind)
			if p.unit != o.unit && (j == i || k < int(o.needs[j]) && s.forces(p, o, l) || meet) {
				c.relation = related(c.relation, p.unit, o.unit)
			}
		}
	}
	c.done[i]++
	const diagonal = 0x8040201008040201
	return c, c.relation&diagonal != 0
}

// TestRelate compares what an operation does to the relation with what all pairs of operations say,
// in random schedules of random programs.
func TestRelate(t *testing.T) {
	steps, cycles, ordered := 0, 0, 0
	for i := range shapes {
		each(t, &shapes[i], 2, func(seed uint64, _ program, run []event.Event) {
			r := rand.New(rand.NewPCG(seed, 7))
			for _, forks := range []bool{false, true} {
				c := New(nil)
				if forks {
					c.OnlyForks()
				}
				for k := range run {
					c.Event(&run[k])
				}
				a := c.analyse()
				parts := make(map[uint32]span)
				for th := range a.nodes {
					parts[uint32(th)] = span{0, min(2, uint32(len(a.nodes[th])))}
				}
				s, ok := a.lanes(parts, 1000)
				if !ok || len(s.lanes) == 0 {
					return
				}
				if a.ordered {
					ordered++
				}
				var now cut
				for range 1000 {
					lane := r.IntN(len(s.lanes))
					if !s.enabled(now, lane) {
						continue
					}
					next, cyclic := s.do(now, lane)
					want, wanted := s.slowly(now, lane)
					if next != want || cyclic != wanted {
						t.Fatalf("seed %d: %+v and %v, want %+v and %v", seed, next, cyclic, want,
							wanted)
					}
					if steps++; cyclic {
						cycles++
						break
					}
					now = next
				}
			}
		})
	}
	if steps < 1000 || cycles < 100 || ordered < 10 {
		t.Errorf("%d steps, %d cycles, %d with order", steps, cycles, ordered)
	}
}
