// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"
	"strconv"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// What a schedule would be is often known from another run, in which the goroutines make the same
// steps in another order. Then it need not be run.
//
// That is so if each step finds the objects that it uses as it found them there: it comes after the
// same changes of each. As all steps are made, each change comes after the same looks, too. A
// goroutine whose steps so far were the same, and that finds all as it was, does the same, if
// goroutines are deterministic and free of data races: it uses the same objects, makes the same
// goroutines ready in the same order, and comes to the same point, or waits. By induction over the
// steps of the schedule all of them are the same, and so is the outcome of the test.
//
// Who goes on after each step is what the engine would choose: from the same candidates, in the
// order in which they have become pending here. So nothing is assumed of how two equivalent
// schedules go on; that is computed, decision by decision, and if it leads to other steps, or to
// others before them, the schedule is run.

// A player plays a schedule with the steps of another run.
type player struct {
	*steps
	next    []int       // of each goroutine
	changed []int       // how often each object is
	numbers map[int]int // what ordinals of the other run are here
	pending []int
	holder  int // -1 for none
	stay    int
	passed  int  // operations that were no points, since the last one
	over    bool // the run is
	failed  bool
	made    int // steps
	forces  []engine.Force
	hash    uint64
	run
}

// predict is the run by a schedule with the steps of another run, nil if it has others. It returns
// how many steps it has made, too, to which its time is in proportion.
func (r *run) predict(forces []engine.Force) (predicted *run, made int) {
	s := r.steps
	p := player{steps: s, next: make([]int, len(s.names)), changed: make([]int, len(s.changed)),
		numbers: make(map[int]int), forces: forces}
	for !p.over && !p.failed {
		p.goOn()
	}
	if p.failed || p.made != s.count || p.forced != len(forces) {
		return nil, p.made
	}
	p.ended, p.random = true, r.random
	p.run.hash = strconv.FormatUint(p.hash, 16)
	p.run.steps = s
	return &p.run, p.made
}

// goOn makes the next step of the holder, and decides who goes on.
func (p *player) goOn() {
	t := p.holder
	if p.next[t] == len(p.lists[t]) {
		p.failed = true
		return
	}
	step := &p.lists[t][p.next[t]]
	p.next[t]++
	p.made++
	if p.passed += step.passed; p.passed >= engine.PassedMost {
		p.failed = true // there is a point more
		return
	}
	for _, d := range step.deeds {
		switch {
		case d.object < 0:
			p.pending = append(p.pending, d.goroutine)
		case p.changed[d.object] != d.before:
			p.failed = true
			return
		case d.changes:
			p.changed[d.object]++
		}
	}
	switch step.end {
	case 'p':
		p.points++
		p.passed = 0
		at := step.at
		if at != 0 {
			if p.numbers[at] == 0 {
				p.numbers[at] = len(p.numbers) + 1
			}
			at = p.numbers[at]
		}
		p.hash = engine.Mix(p.hash ^ p.names[t] ^ uint64(at)<<8 ^ uint64(step.kind))
		p.choose(t, step.hot)
	case 'w':
		p.choose(-1, false)
	default:
		p.over = true
	}
}

// choose is what the engine does: see Control.Choose there.
func (p *player) choose(holder int, hot bool) {
	candidates := p.pending
	if holder >= 0 {
		candidates = append([]int{holder}, p.pending...)
	}
	i := 0
	switch len(candidates) {
	case 0:
		p.failed = true
		return
	case 1:
		p.stay = 0
	default:
		i = p.decide(holder, len(candidates), hot)
		p.hash = engine.Mix(p.hash ^ p.names[candidates[i]]<<1)
	}
	p.holder = candidates[i]
	switch {
	case holder < 0:
		p.pending = slices.Delete(p.pending, i, i+1)
	case i > 0:
		p.pending = append(slices.Delete(p.pending, i-1, i), holder)
	}
}

// decide is the index of the candidate, of n.
func (p *player) decide(holder, n int, hot bool) int {
	p.decisions++
	usual := 0
	if holder < 0 {
		p.stay = 0
	} else if p.stay++; p.stay > engine.DemoteAfter {
		p.stay, usual = 0, 1
	}
	if p.forced == len(p.forces) {
		p.choices = append(p.choices, choice{n, usual, hot, strconv.FormatUint(p.hash, 16)})
		return usual
	}
	i := usual
	if f := p.forces[p.forced]; int(f.Decision) == p.decisions {
		p.forced++
		p.prefix = strconv.FormatUint(p.hash, 16)
		i = min(int(f.Choice), n-1)
	}
	if i != usual {
		p.stay = 0
	}
	return i
}
