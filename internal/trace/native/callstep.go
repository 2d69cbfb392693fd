// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// callSteps collects what is told of calls beside events, for who asks for it.
type callSteps struct {
	wanted  bool
	index   uint64 // of the event that comes next
	steps   []trace.CallStep
	values  [][]trace.Value   // by thread: those of the next Enter or Call
	objects map[uint64]uint32 // numbers, by address
	placed  paged[uint64]     // the addresses
	numbers uint32            // given to objects
	locks   bool              // something was told of locks
	lockOf  []uint64          // by thread: the address of the lock of which that was
	of      objects
}

// WantCalls makes the reader collect the steps of calls.
func (r *Reader) WantCalls() { r.told.wanted = true }

// Calls returns the steps of calls among the events that were read since the last call of Calls.
func (r *Reader) Calls() []trace.CallStep {
	steps := r.told.steps
	r.told.steps = nil
	return steps
}

// maxValues is how many values a call can have.
const maxValues = 64

// tell takes a step of a call, or one that the engine is told of.
func (r *Reader) tell(s *step) error {
	c := &r.told
	if s.kind == event.Value && s.args[0]&(1<<spec.SiteShift-1) >= spec.Locking {
		r.tellSection(s)
		return nil
	}
	if s.kind == event.AcquireAll || s.kind == event.Exit ||
		s.kind == event.Value && s.args[0] == spec.Fails {
		r.tellOrder(s)
	}
	if !c.wanted {
		return nil
	}
	t := trace.CallStep{Event: c.index, Kind: s.kind, Thread: s.thread}
	switch s.kind {
	case event.Value:
		switch s.args[0] {
		case spec.Left, spec.Gone, spec.Out, spec.Back:
			t.What = s.args[0]
			c.steps = append(c.steps, t)
			return nil
		}
		if s.args[0] >= spec.Takes {
			return r.tellLock(&t, s.args[0], s.args[1])
		}
		for uint64(len(c.values)) <= uint64(s.thread) {
			c.values = append(c.values, nil)
		}
		if len(c.values[s.thread]) == maxValues {
			return r.fail("has a call with more than %d values", maxValues)
		}
		v := trace.Value{What: s.args[0], Value: s.args[1]}
		c.values[s.thread] = append(c.values[s.thread], v)
		return nil
	case event.Enter:
		if s.args[1] >= maxDescribed {
			return r.fail("has a call of method %d, and there may be %d", s.args[1], maxDescribed)
		}
		t.Object, t.Method, t.Keys[0] = c.object(s.args[0]), uint32(s.args[1]), s.args[2]
		for _, v := range c.take(s.thread) {
			if v.What-spec.KeyOf < uint64(len(t.Keys)) {
				t.Keys[v.What-spec.KeyOf] = v.Value
			}
		}
	case event.Call:
		t.Object, t.Method = c.object(s.args[0]), uint32(s.args[1])
		t.Touches = uint32(min(s.args[2], math.MaxUint32))
		t.Pos, t.Values = r.calls[s.thread].position, c.take(s.thread)
	}
	c.steps = append(c.steps, t)
	return nil
}

// take is the values that a thread's call has.
func (c *callSteps) take(thread uint32) (list []trace.Value) {
	if uint64(thread) < uint64(len(c.values)) {
		list, c.values[thread] = c.values[thread], nil
	}
	return list
}

// object is the number of the object that is now at an address.
func (c *callSteps) object(address uint64) uint32 {
	n, ok := c.objects[address]
	if !ok {
		if c.objects == nil {
			c.objects = make(map[uint64]uint32)
		}
		n = c.numbers
		c.numbers++
		c.objects[address] = n
		c.placed.add(address, address)
	}
	return n
}

// forget is told that what is at some addresses is new.
func (c *callSteps) forget(address, size uint64) {
	if !c.wanted {
		return
	}
	c.placed.forget(address, size, func(at uint64) {
		c.steps = append(c.steps, trace.CallStep{
			Event: c.index, Kind: event.Fresh, Object: c.objects[at],
		})
		delete(c.objects, at)
	})
}
