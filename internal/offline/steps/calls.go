// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// call takes what the trace tells of calls and of synchronization, beside its events.
func (d *Decoder) call(c *trace.CallStep) {
	switch c.Kind {
	case event.Fresh:
		return
	case event.Split:
		d.parts = append(d.parts, part{c.Object, c.Offset})
		return
	}
	t := d.thread(c.Thread)
	switch c.Kind {
	case event.Enter:
		d.enter(t, c.Object)
	case event.Call:
		d.leave(t, c)
	case event.AtomicLoad, event.AtomicStore, event.AtomicRMW:
		t.also, t.offset = c.Object+1, c.Offset
	case event.Value:
		d.value(t, c)
	}
}

// value takes what is told of synchronization, or of a call.
func (d *Decoder) value(t *thread, c *trace.CallStep) {
	switch c.What {
	case spec.Takes:
		s := reorder.Step{Op: reorder.Lock, Target: c.Object}
		if c.Flags&spec.Reader != 0 {
			s.Op = reorder.RLock
		}
		t.told = append(t.told, s)
		if c.Flags&spec.Waits != 0 {
			t.told = append(t.told, reorder.Step{})
		}
	case spec.Frees:
		s := reorder.Step{
			Op: reorder.Unlock, Target: c.Object, Opaque: c.Flags&spec.Direct == 0,
		}
		if c.Flags&spec.Reader != 0 {
			s.Op = reorder.RUnlock
		}
		t.told = append(t.told, s)
	case spec.Fails:
		t.fixed = true
	case spec.Gone:
		if n := len(t.calls); n > 0 {
			d.calls[t.calls[n-1].object].open--
			t.calls = t.calls[:n-1]
		}
	}
}

// enter is told that a call begins.
func (d *Decoder) enter(t *thread, o uint32) {
	d.calls = table.Grow(d.calls, o)
	x := &d.calls[o]
	c := call{object: o, ended: x.ended, overlaps: x.open > 0, acts: t.acts}
	if x.open++; c.overlaps {
		for i := range d.threads {
			for k := range d.threads[i].calls {
				if other := &d.threads[i].calls[k]; other.object == o {
					other.overlaps = true
				}
			}
		}
	}
	t.calls = append(t.calls, c)
}

// leave is told that a call is over, of which the touches follow.
func (d *Decoder) leave(t *thread, c *trace.CallStep) {
	d.calls = table.Grow(d.calls, c.Object)
	x := &d.calls[c.Object]
	t.touches, t.inOrder = c.Touches, x.open == 0 && !d.program.CallsBack(c.Method)
	t.spread = true // unless its beginning is known
	for i, open := range slices.Backward(t.calls) {
		if open.object == c.Object {
			x.open--
			t.inOrder = x.open == 0 && !open.overlaps && open.ended == x.ended &&
				!d.program.CallsBack(c.Method)
			t.spread = open.acts != t.acts || d.program.CallsBack(c.Method)
			for _, lost := range t.calls[i+1:] {
				d.calls[lost.object].open--
			}
			t.calls = t.calls[:i]
			break
		}
	}
	x.ended++
}
