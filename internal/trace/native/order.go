// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// A step is a record as the Reader keeps it until all steps before it are known. They decide what
// an address means, and whether the step is hidden.
type step struct {
	kind   spec.Kind
	flags  event.Flags // that the file says
	thread uint32
	pos    uint32
	args   [3]uint64
}

// A run is steps that have consecutive numbers.
type run struct {
	first, end uint64 // the first number, and the one after the last
	steps      []step
}

// runs is a heap, the least number on top.
type runs []run

func (h *runs) push(x run) {
	*h = append(*h, x)
	list := *h
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if list[parent].first <= list[i].first {
			return
		}
		list[i], list[parent] = list[parent], list[i]
		i = parent
	}
}

func (h *runs) pop() run {
	list := *h
	top, last := list[0], len(list)-1
	list[0], list[last] = list[last], run{}
	list = list[:last]
	*h = list
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(list); child++ {
			if list[child].first < list[least].first {
				least = child
			}
		}
		if least == i {
			return top
		}
		list[i], list[least] = list[least], list[i]
		i = least
	}
}

func (h runs) steps() (n int) {
	for i := range h {
		n += int(h[i].end - h[i].first)
	}
	return n
}

// collect decodes the rest of a chunk whose steps must be put in order.
func (r *Reader) collect() error {
	steps := make([]step, 0, max(r.left, 0)) // of all runs; checked against the chunk's length
	now := run{first: r.seq}
	begun := 0
	keep := func() {
		if now.end, now.steps = r.seq, steps[begun:len(steps):len(steps)]; len(now.steps) > 0 {
			r.runs.push(now)
		}
		begun = len(steps)
	}
	for r.at < len(r.buf) {
		s, isStep, err := r.record()
		switch {
		case err != nil:
			return err
		case s.kind == event.Seq:
			keep()
			r.seq += s.args[0]
			now = run{first: r.seq}
		case isStep && !r.named:
			return r.fail("has steps before it names a goroutine")
		case isStep:
			r.seq++
			r.left--
			steps = append(steps, s)
		}
	}
	if r.left < 0 {
		return r.fail("has more steps than its header says")
	}
	keep()
	return nil
}

// give gives out events of steps that none can come before any more.
func (r *Reader) give(events []event.Event) (n int, err error) {
	for n+2 < len(events) {
		if r.more.n > 0 {
			added, err := r.repeat(events[n:])
			if err != nil {
				return n, err
			}
			n += added
			continue
		}
		if len(r.rest) == 0 {
			if len(r.runs) == 0 || r.runs[0].first >= r.low {
				return n, nil
			}
			next := r.runs.pop()
			if next.first < r.reached {
				return n, r.fail("or one before has step %d, which is there twice or too late",
					next.first)
			}
			r.reached = next.end
			r.rest = r.kept(&next)
			continue
		}
		r.told.index = r.given + uint64(n)
		added, err := r.convert(&r.rest[0], events[n:])
		if err != nil {
			return n, err
		}
		n += added
		r.rest = r.rest[1:]
	}
	return n, nil
}
