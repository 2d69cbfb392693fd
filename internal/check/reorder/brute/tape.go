// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// ofCond is the address of the Cond, as a step's target; ofChannel is a channel's own, and next to
// it are the slots of its buffer.
const ofCond = 50

func ofChannel(c int) uint32 { return 20 + 5*uint32(c) }

// channelOf is the channel that an address belongs to, or -1.
func channelOf(target uint32) int {
	if target >= 20 && target < ofChannel(channels) {
		return int(target-20) / 5
	}
	return -1
}

// ofObject gives an operation its object, if that is told.
func (p *tape) ofObject(t int, s *reorder.Step) {
	if !p.named || s.Target == ofCond {
		return
	}
	s.Named = true
	c := channelOf(s.Target)
	if c < 0 {
		return
	}
	s.Target = ofChannel(c)
	if p.chosen[t] > 0 {
		p.chosen[t]--
		s.Named = false
	}
	if p.looked[c] != 0 && p.looked[c] != t+1 && !s.Silent {
		s.Fixed = s.Fixed || p.looked[c] == several
		s.After = uint32(max(p.looked[c], 0))
		p.looked[c] = 0
	}
}

// takesOff records that a thread takes off from the counter of the second WaitGroup: what it has
// added itself, or the first thread before it has started this one.
func (p *tape) takesOff(t int) {
	s := reorder.Step{Op: reorder.Merge, Target: 41, Closes: true, Counts: true}
	switch {
	case p.added[t] > 0:
		p.added[t]--
	case p.given[t] > 0 && p.added[0] > 0:
		p.given[t]--
		p.added[0]--
		for u := range p.given {
			p.given[u] = min(p.given[u], p.added[0])
		}
	case p.named:
		s.Op = reorder.Release
	}
	p.step(t, s)
}

// use notes that a thread has sent to a channel, or received from it.
func (p *tape) use(t, c int) {
	if p.by[c] == 0 || p.by[c] == t+1 {
		p.by[c] = t + 1
	} else {
		p.by[c] = several
	}
}

// communicate records an instruction on channels by which no two threads have met.
func (p *tape) communicate(t int, in instruction, m *machine) {
	list, sends, _ := in.ways()
	c := p.Program.chosen[t][m.pc[t]]
	if c == failed {
		p.fails(t, list)
		return
	}
	if !sends && m.closed[c] && m.queued[c] == 0 {
		p.step(t, reorder.Step{Op: reorder.Acquire, Target: ofChannel(c)})
		return
	}
	n := m.got[c]
	if sends {
		n = m.sent[c]
	}
	slot := ofChannel(c) + 1 + uint32(n%(1+c))
	p.step(t, reorder.Step{Op: reorder.Acquire, Target: slot})
	p.step(t, reorder.Step{Op: reorder.Release, Target: slot, Closes: true})
	p.use(t, c)
}

// fails records that none of some channels was ready.
func (p *tape) fails(t int, list []int) {
	for n, c := range list {
		switch alone := p.by[c] == 0 || p.by[c] == t+1; {
		case alone && !p.named:
		case n == 0 && (alone || len(list) == 1) && p.named:
			p.step(t, reorder.Step{Op: reorder.Acquire, Target: ofChannel(c), Silent: true})
		case !alone:
			p.fixed[t] = true
			return
		case p.looked[c] == 0 || p.looked[c] == t+1:
			p.looked[c] = t + 1
		default:
			p.looked[c] = several
		}
	}
}

// meeting records that a thread meets another one on the unbuffered channel. The other one has
// waited, unless it is the one that arrives.
func (p *tape) meeting(t, u int, m *machine, arrives bool) {
	g, h := t, u
	if arrives {
		g, h = h, g
	}
	from, to := t, u
	in, _ := m.now(t)
	if _, sends, _ := in.ways(); !sends {
		from, to = to, from
	}
	selects := func(t int) bool {
		in, _ := m.now(t)
		return !slices.Contains([]opcode{send, receive}, in.op)
	}
	if p.named && selects(g) && selects(h) {
		p.chosen[g], p.chosen[h] = 3, 3
	}
	at := ofChannel(unbuffered)
	add := func(t int, last bool, s reorder.Step) {
		s.Target, s.Closes = at, s.Op != reorder.Acquire
		p.step(t, s)
		p.at = append(p.at, place{t, m.pc[t], last})
	}
	add(from, false, reorder.Step{Op: reorder.Release})
	add(to, false, reorder.Step{Op: reorder.Acquire})
	add(h, false, reorder.Step{Op: reorder.Release})
	add(g, false, reorder.Step{Op: reorder.Merge})
	add(g, true, reorder.Step{Op: reorder.Acquire})
	add(h, true, reorder.Step{Op: reorder.Acquire})
	p.use(t, unbuffered)
	p.use(u, unbuffered)
}
