// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// several is for threads.
const several = ^uint32(0)

// tellObject takes what is told of objects of synchronization.
func (d *Decoder) tellObject(t *thread, c *trace.CallStep) {
	switch c.What {
	case spec.Channel:
		d.named = table.Grow(d.named, c.Object)
		d.named[c.Object] = c.Method + 1
	case spec.Adds:
		d.named = table.Grow(d.named, c.Object)
		d.named[c.Object] = c.Object + 1
		t.apart = reorder.Step{Op: reorder.Release, Target: c.Object, Named: true}
	case spec.FailsOn:
		t.apart = reorder.Step{Op: reorder.Acquire, Target: c.Object, Named: true}
	case spec.LooksAt:
		if d.looks == nil {
			d.looks = make(map[uint32]uint32)
		}
		if by := d.looks[c.Object]; by == 0 || by == c.Thread+1 {
			d.looks[c.Object] = c.Thread + 1
		} else {
			d.looks[c.Object] = several
		}
	case spec.Anywhere:
		// Each has one that is for the message, and two by which they wait for each other.
		t.chosen = 3
		d.thread(c.Object).chosen = 3
	}
}

// ofObject gives an operation its object, if that is known.
func (d *Decoder) ofObject(t *thread, s *reorder.Step) {
	l := s.Target
	if uint64(l) >= uint64(len(d.named)) || d.named[l] == 0 {
		return
	}
	s.Target, s.Named = d.named[l]-1, true
	if t.chosen > 0 {
		t.chosen--
		s.Named = false
	}
	if by := d.looks[s.Target]; by != 0 && by != s.Thread+1 {
		s.Fixed = true
		delete(d.looks, s.Target)
	}
}
