// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A call is a thread's: one that has begun, or its last.
type call struct {
	engine  commrace.Call
	object  *object
	place   *place
	pos     uint32
	pending bool // the engine has it as begun
	left    bool // it is in a callback
	values  []trace.Value

	want    uint32 // touches that are still to come
	touches []event.Step
}

// newCall is a call of a thread that is under way nowhere yet.
func (t *thread) newCall(o *object, method uint32) *call {
	c := t.spare
	if t.spare = nil; c == nil {
		c = new(call)
	}
	*c = call{object: o, touches: c.touches[:0]}
	c.engine.Method = method - o.of.method
	return c
}

// enter begins a call that may change its object.
func (t *thread) enter(s *trace.CallStep) {
	o := t.replay.object(s.Object, s.Method)
	if o == nil {
		return
	}
	c := t.newCall(o, s.Method)
	c.pending, c.engine.Keys = true, s.Keys
	t.open = append(t.open, c)
	if o.Table().Methods[c.engine.Method].Open {
		o.BeginOpen(&c.engine, t.clock, t)
	} else {
		o.Begin(&c.engine, t.clock, t)
	}
}

// ends takes the end of a call, which is complete when all of its touches were read.
func (t *thread) ends(s *trace.CallStep) {
	t.ending = nil
	o := t.replay.object(s.Object, s.Method)
	if o == nil {
		return
	}
	c := t.begun(o, s.Method-o.of.method)
	if c == nil {
		c = t.newCall(o, s.Method)
	}
	t.ending = c
	c.pos, c.place, c.values = s.Pos, t.replay.place(s.Pos), s.Values
	frame := uint64(0)
	for _, v := range s.Values {
		if v.What == spec.Frame {
			frame = v.Value
		}
	}
	c.engine.SetPlace(commrace.Place{Site: c.place.site, Frame: uintptr(frame)})
	if c.want = s.Touches; c.want == 0 {
		t.finish()
	}
}

// begun takes the call that has begun out of those that are under way; nil if none is known to
// have. What has begun later can't be under way any more.
func (t *thread) begun(o *object, method uint32) *call {
	for i := len(t.open) - 1; i >= 0; i-- {
		c := t.open[i]
		if !c.pending || c.object != o || c.engine.Method != method {
			continue
		}
		for len(t.open) > i+1 {
			t.gone()
		}
		t.resume()
		t.open = t.open[:i]
		return c
	}
	return nil
}

// touch takes a touch, of the call that has ended last.
func (t *thread) touch(e *event.Event) {
	c := t.ending
	if c == nil {
		return
	}
	c.touches = append(c.touches, event.Step{Index: t.replay.index, Event: *e})
	if c.want--; c.want == 0 {
		t.finish()
	}
}

// finish checks a call whose touches were read.
func (t *thread) finish() {
	c := t.ending
	o := c.object
	m := &o.Table().Methods[c.engine.Method]
	callback := m.Role == commrace.Observer && m.Callback && !m.Open
	switch {
	case !t.results(c), m.Open && !c.pending: // its beginning is lost
		if c.pending {
			o.Abandon(&c.engine, t)
		}
	case m.Open:
		o.EndOpen(&c.engine, t.clock, t)
	case m.Role != commrace.Observer || callback || m.Keys() > 1 || t.Began() != 0:
		o.End(&c.engine, t.clock, t)
	case !t.observes(c):
		o.EndOther(&c.engine, t.clock, t)
	}
	t.ending = nil
	if c.pending = false; callback {
		t.open = append(t.open, c) // the program's functions see it from here on
		return
	}
	t.spare = c
	t.over()
}

// observes reports whether an observation, outside of transactions, repeats another of its thread.
// In a transaction each may be an edge.
func (t *thread) observes(c *call) bool {
	e := &c.engine
	how, locked := c.object.Observe(nil, e.Method, e.Beta, e.Keys[0], t.clock,
		commrace.Place{Site: c.place.site, Frame: e.CalledIn()})
	if how == commrace.Other {
		c.object.Release(locked)
	}
	return how != commrace.Other
}

// over is told that nothing is hidden as part of the call any more.
func (t *thread) over() {
	t.clock.RestoreHeld(0)
	t.ended++
	if t.heard {
		t.kids.Acquire(t.clock)
		t.kids.Clear()
		t.heard = false
	}
}

// gone is told that the innermost call is over, and that nothing is known of what it did since it
// began, or called back.
func (t *thread) gone() {
	n := len(t.open) - 1
	if n < 0 {
		return
	}
	c := t.open[n]
	t.open = t.open[:n]
	if c.pending {
		c.object.Abandon(&c.engine, t)
	}
	t.spare = c
	t.over()
}

// drop forgets the calls of an object that is no more.
func (t *thread) drop(o *object) {
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.open[i].object == o {
			for len(t.open) > i {
				t.gone()
			}
		}
	}
	if t.ending != nil && t.ending.object == o {
		t.ending = nil
	}
}

// leave is told that the innermost call is about to call back, or that it ends. If it learns, it
// joins others; else it had joined them.
func (t *thread) leave(learns bool) {
	if n := len(t.open); n > 0 {
		c := t.open[n-1]
		c.left = c.pending
		c.object.Leave(&c.engine, t.clock, !learns, c.object.Generation(), t)
	}
}

// resume is told that the innermost call is back from a callback.
func (t *thread) resume() {
	if n := len(t.open); n > 0 && t.open[n-1].left {
		c := t.open[n-1]
		c.left = false
		c.object.Resume(&c.engine, t.clock, t)
	}
}

// results finds the case of the results in which calls touch what the call has touched, and the
// keys of the call. It reports whether there is one.
func (t *thread) results(c *call) bool {
	table := c.object.Table()
	for beta := range table.Of.Methods[c.engine.Method].Touch {
		c.engine.Beta = uint32(beta)
		if table.Touches(&c.engine) == len(c.touches) && t.agrees(c, table) {
			return true
		}
	}
	return false
}

// agrees reports whether the call's touches are those of its case, and takes the keys from them.
func (t *thread) agrees(c *call, table *commrace.Table) bool {
	keys := c.engine.Keys
	for i := range c.touches {
		e := &c.touches[i].Event
		point, _, keyed := table.Touch(&c.engine, i)
		if e.Point != c.object.of.point+uint32(point) {
			return false
		}
		if keyed {
			k, hash := table.KeyOf(&c.engine, i), t.replay.program.KeyOf(e.Target)
			if c.pending && keys[k] != hash {
				return false
			}
			keys[k] = hash
		}
	}
	c.engine.Keys = keys
	return true
}
