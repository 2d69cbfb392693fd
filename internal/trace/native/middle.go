// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
)

// middle is what is to know of a ring, which may start in the middle of what the program did.
type middle struct {
	from  uint64          // no step with a lower number is given out; 0 if nothing is lost
	lost  uint64          // steps before what is given out
	known map[uint32]bool // threads that have said their state, or were forked since

	// numbers has the numbers of goroutines in a ring. It is nil for other traces, whose numbers
	// are dense already.
	numbers map[uint64]uint32
}

// Lost is the number of steps that the program made before the first one that Read returns. It is
// valid from the first event on. If it is not 0, the trace starts in the middle.
func (r *Reader) Lost() uint64 { return r.middle.lost }

// enter takes the first chunk of events.
func (r *Reader) enter(c *raw.Chunk) {
	if r.chunks.Ring() && c.From > 0 {
		r.middle.from, r.middle.lost = c.From, c.Past
		r.middle.known = make(map[uint32]bool)
	}
}

// renumbered is the number of a goroutine in a ring. The ring's own numbers grow with each
// goroutine that the program has started.
func (r *Reader) renumbered(v uint64) (uint32, error) {
	n, ok := r.middle.numbers[v]
	if !ok {
		if v >= math.MaxUint32 {
			return 0, r.fail("has goroutine %d", v)
		}
		n = uint32(len(r.middle.numbers))
		r.middle.numbers[v] = n
		r.tables.Threads.Set(n, fmt.Sprintf("T%d", v))
	}
	return n, nil
}

// kept is the steps of a run that are given out.
func (r *Reader) kept(n *run) []step {
	if n.first >= r.middle.from {
		return n.steps
	}
	before := min(r.middle.from-n.first, uint64(len(n.steps)))
	r.middle.lost += before
	return n.steps[before:]
}

// maxOpen is the greatest number of nested transactions that a goroutine may be in where a trace
// starts. Each becomes an event without a step of its own.
const maxOpen = 1 << 16

// resume takes a State. The first State of a thread tells what the lost steps would: the
// transactions that the thread is in begin here.
func (r *Reader) resume(s *step) {
	if r.middle.from == 0 || r.middle.known[s.thread] {
		return
	}
	r.middle.known[s.thread] = true
	r.hide(s.thread, s.args[0] != 0)
	r.more = more{event.Event{Op: event.Begin, Thread: s.thread, Pos: s.pos}, 0,
		min(s.args[1], maxOpen)}
}
