// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	mathrand "math/rand"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// TestPointsAgreeWithMap adds points and frees memory, as a map does, while the table grows. Some
// points have one hash, and the hashes of others are next to each other.
func TestPointsAgreeWithMap(t *testing.T) {
	type id struct {
		place      *place
		generation uint32
		c          class
		key        uint64
	}
	r := rand.New(rand.NewPCG(1, 2))
	places := make([]place, 4)
	known := make(map[id]*point)
	var table points
	freed := 0
	random := func() (h uint64, k id) {
		o := &places[r.IntN(len(places))]
		k = id{o, o.generation.Load(), class(r.IntN(int(backing) + 1)), uint64(r.IntN(1500))}
		switch k.key % 4 {
		case 0:
			h = k.key % 16 << 60 // many have one hash
		case 1:
			h = ^(k.key % 64) // those that find no room go to the first places
		default:
			h = mix(k.key, uint64(k.c))
		}
		return h, k
	}
	for step := range 30_000 {
		h, k := random()
		if r.IntN(3000) == 0 {
			k.place.generation.Add(1)
			continue
		}
		p := table.find(h, k.place, k.c, k.key)
		if p != known[k] {
			t.Fatalf("step %d: %v is found: %t, and was added: %t", step, k, p != nil,
				known[k] != nil)
		}
		if p == nil && step%3 != 0 {
			p = pointSlab.Get()
			p.place, p.generation = offheap.To(k.place), k.generation
			p.class, p.key = k.c, k.key
			freed += table.add(h, p)
			known[k] = p
		}
	}
	if table.n+freed != len(known) || freed == 0 || mostPoints*table.n > 1<<table.log {
		t.Errorf("%d points and %d freed of %d, in %d places", table.n, freed, len(known),
			1<<table.log)
	}
	table.clear()
	if p := table.find(0, &places[0], variable, 0); p != nil {
		t.Errorf("an empty table has %v", p)
	}
}

// TestShed runs random programs twice, once with all points kept: the same is found.
func TestShed(t *testing.T) {
	defer func(n int) { fewPoints = n }(fewPoints)
	n := 6000
	if testing.Short() {
		n = 1000
	}
	shed, found := 0, 0
	for _, like := range []maker{{}, {atomics: true}, {blocks: true}, {late: true},
		{linked: true}} {
		for seed := range int64(n) {
			var told [2][]string
			var points [2]int32
			for k := range told {
				fewPoints = 1 + k*1<<30
				p, s := makeProgram(seed, like), newScript()
				s.late = like.late
				r := mathrand.New(mathrand.NewSource(seed))
				p.execute(s, r, 1+r.Intn(6))
				for i := range s.found {
					told[k] = append(told[k], p.told(&s.found[i]))
				}
				points[k] = s.world.points.Load()
			}
			if !slices.Equal(told[0], told[1]) {
				t.Fatalf("%+v, seed %d: found %q, and if all are kept %q", like, seed, told[0],
					told[1])
			}
			found += len(told[0])
			if points[0] < points[1] {
				shed++
			}
		}
	}
	if shed < n/50 || found < n/10 {
		t.Errorf("points were freed in %d programs, and %d findings", shed, found)
	}
}

// told is what a finding says, but for addresses and epochs, which each run has its own of.
func (p *program) told(f *Finding) string {
	c, g := p.claimOf(f), *f
	g.Func, g.Site = offheap.Ref[compiled.SectionFunc]{}, offheap.Ref[compiled.LockSite]{}
	for _, e := range []*Event{&g.Check, &g.Act, &g.Other} {
		e.Touch, e.Epoch = offheap.Ref[compiled.SectionTouch]{}, 0
	}
	return fmt.Sprintf("%v %v %d: %+v", c.pair.check, c.pair.act, c.other, g)
}
