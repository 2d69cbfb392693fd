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

// maxAdded is how many additions to a counter are kept apart.
const maxAdded = 2048

// adds is told of an addition.
func (d *Decoder) adds(c *trace.CallStep) {
	if d.groups == nil {
		d.groups = make(map[uint32][]added)
	}
	list := append(d.groups[c.Object], added{c.Thread, c.Event, c.Touches})
	if len(list) > maxAdded {
		// The older ones of a thread count as made later: less is known of them then.
		kept := list[:0]
		for i, a := range list {
			n := len(kept)
			if i < maxAdded/2 && n > 0 && kept[n-1].thread == a.thread {
				a.n += kept[n-1].n
				kept = kept[:n-1]
			}
			kept = append(kept, a)
		}
		list = kept[max(0, len(kept)-maxAdded):]
	}
	d.groups[c.Object] = list
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
