// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package order

import (
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A point is an access point of one object. It keeps the touches that no later one subsumes, as
// package event defines it. Algorithm 1 has one clock for each point instead; the touches show
// which call the other side of a race is.
type point struct {
	point   uint32
	touches []touch // at most one of each thread
}

// A touch has the clock that its thread had at it; no later event of the thread is in it.
type touch struct {
	thread, pos uint32
	index       uint64
	clock       Clock
}

// touch takes a touch: Algorithm 1 of "Commutativity Race Detection", section 5.3.
//
// Phase 1 looks for earlier touches of conflicting points that the thread doesn't know: these are
// races. The thread then joins the clocks of all conflicting touches. The join must come after the
// whole search, since a touch that was joined could order others that are in a race. Phase 2 adds
// the touch itself, with the joined clock, in the place of those that it subsumes.
func (o *Threads) touch(e *event.Event, index uint64) {
	o.objects = table.Grow(o.objects, e.Target)
	t := e.Thread
	o.races = o.races[:0]
	for _, q := range o.relation.Conflicts(e.Point) {
		earlier := o.point(e.Target, q).touches
		for i := range earlier {
			if a := &earlier[i]; !o.knows(t, a) {
				o.races = append(o.races, event.Step{Index: a.index, Event: event.Event{
					Op: event.Touch, Thread: a.thread, Target: e.Target, Point: q, Pos: a.pos,
				}})
			}
		}
	}
	for _, q := range o.relation.Conflicts(e.Point) {
		for _, a := range o.point(e.Target, q).touches {
			if !o.knows(t, &a) {
				o.join(t, &a.clock)
			}
		}
	}
	for _, q := range o.relation.Subsumes(e.Point) {
		p := o.point(e.Target, q)
		p.touches = p.touches[:0] // the new touch comes after them: they conflict, and were joined
	}
	o.point(e.Target, e.Point).add(touch{t, e.Pos, index, o.threads[t].Clock})
	o.tick(t)
}

// knows reports whether a touch happens before the next event of thread t.
func (o *Threads) knows(t uint32, a *touch) bool {
	return a.thread == t || a.clock.time <= o.threads[t].At(a.clock.slot)
}

// add puts a touch in the place of its thread's earlier one, which happens before it.
func (p *point) add(now touch) {
	for i := range p.touches {
		if p.touches[i].thread == now.thread {
			p.touches[i] = now
			return
		}
	}
	p.touches = append(p.touches, now)
}

// point is the access point of an object with a number. An object has few points: a list will do.
func (o *Threads) point(object, number uint32) *point {
	points := o.objects[object]
	for i := range points {
		if points[i].point == number {
			return &points[i]
		}
	}
	o.objects[object] = append(points, point{point: number})
	return &o.objects[object][len(points)]
}
