// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// Most of what can go wrong between a check and an act shows only if another goroutine comes there.
// So a goroutine that has made a check lets others go first, now and then. So does one that is
// about to take its first lock: goroutines that are started in one order begin in another one.

const (
	oneIn    = 4   // how often a goroutine is held up: once in so many times
	early    = 256 // so many times, at first, it's once in oneEarly: many tests are short
	oneEarly = 2
	maxPause = 60 // in microseconds
)

// pause is for how many microseconds the goroutine is to be held up, 0 for not at all; 1 is to let
// others run.
func (t *Thread) pause() uint32 {
	w := t.world.P()
	if w == nil || w.perturb.Load() == 0 {
		return 0
	}
	s := t.ready()
	s.random = mix(s.random, 2)
	r := uint32(s.random)
	often := uint32(oneIn)
	if w.asked.Load() < early {
		w.asked.Add(1)
		often = oneEarly
	}
	if r%often != 0 {
		return 0
	}
	if r>>8&1 == 0 {
		return 1
	}
	return 2 + r>>16%(maxPause-1)
}
