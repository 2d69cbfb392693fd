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
	inVain   = 16 // so many times where no other goroutine is seen to use the locks
)

// pauseBetween is pause where the goroutine is about to begin a section, or to make an atomic
// operation. It is 0 if the goroutine is in a section, or has made no check in its activation.
//
// Nobody comes between who uses none of the locks. So after a few times it is 0, too, where the
// goroutine alone has had sections of those locks under which it has checked. Once another one has
// had one, it isn't any more. A goroutine that it starts may be about to.
func pauseBetween(t *Thread, s *state) uint32 {
	r := s.run.P()
	if s.nHeld > 0 || r == nil || r.nLooks == 0 {
		return 0
	}
	alone := true
	for i := range r.nLooks {
		l := r.looks[i].place.lock.P()
		alone = alone && l != nil && l.owner.Load() == s.id
	}
	if alone && s.vain >= inVain {
		return 0
	}
	us := t.pause()
	if alone && us != 0 {
		s.vain++
	}
	return us
}

// Starts says that the goroutine has started another one.
func Starts(t *Thread) {
	if s := t.state.P(); s != nil {
		s.vain = 0
	}
}

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
