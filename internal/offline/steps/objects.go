// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"slices"

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
		t.apart = reorder.Step{Op: reorder.Merge, Target: c.Object, Named: true}
		d.adds(c)
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
	if _, ok := d.groups[s.Target]; ok && s.Op == reorder.Merge && !d.takesOff(s.Target, s.Thread) {
		s.Op = reorder.Release // it comes after what was added
	}
	if t.chosen > 0 {
		t.chosen--
		s.Named = false
	}
	switch by := d.looks[s.Target]; {
	case by == 0 || by == s.Thread+1:
		return
	case by == several:
		s.Fixed = true
	default:
		s.After = by
	}
	delete(d.looks, s.Target)
}

// An added is what a thread has added to the counter of a WaitGroup, and was not taken off.
type added struct {
	thread uint32
	index  uint64 // of the event
	n      uint32
}

// adds is told of an addition.
func (d *Decoder) adds(c *trace.CallStep) {
	if d.groups == nil {
		d.groups = make(map[uint32][]added)
	}
	list := d.groups[c.Object]
	if n := len(list); n > 0 && list[n-1].thread == c.Thread {
		// What was added before counts as added now, which is no less than is known of it.
		list[n-1].index, list[n-1].n = c.Event, list[n-1].n+c.Touches
		return
	}
	d.groups[c.Object] = append(list, added{c.Thread, c.Event, c.Touches})
}

// takesOff is told that a thread calls Done. It reports whether what it takes off was added before
// in any order: by the thread itself, or by one that has started it since, or one that has started
// that.
func (d *Decoder) takesOff(group, thread uint32) bool {
	list := d.groups[group]
	for t, before := thread, d.index; ; {
		for i := range slices.Backward(list) {
			if a := &list[i]; a.thread == t && a.index <= before {
				if a.n--; a.n == 0 {
					d.groups[group] = slices.Delete(list, i, i+1)
				}
				return true
			}
		}
		by := d.thread(t).startedBy
		if by == 0 {
			return false
		}
		t, before = by-1, d.thread(t).startedAt
	}
}
