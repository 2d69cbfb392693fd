// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"encoding/binary"
	"slices"

	"github.com/commutego/commute/internal/check/order"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A Checker has the patterns of a stream.
type Checker struct {
	order    order.Threads // what forks and joins force
	threads  []thread
	patterns []pattern
	number   map[string]int // by thread, lock, and the locks held
	index    uint64         // of the present event
	key      []byte         // scratch
	forced   reorder.Forced
	freed    map[uint32]bool // locks that were released by another thread
}

type thread struct {
	held    []holding // in the order in which they were taken
	stretch uint32    // counts them
	stale   bool      // it was ordered by something since its clock was taken
	started bool
	clock   *order.Clock // of its stretch
	taken   map[uint32][]taken

	segment []step // since it last held nothing
	shared  bool   // uses have parts of segment
}

// A step takes a lock, or lets it go.
type step struct {
	lock  uint32
	takes bool
	clock *order.Clock
}

// A taken is the first acquire of a lock in a stretch.
type taken struct {
	stretch uint32
	clock   *order.Clock
	index   uint64
}

// Locks are numbered here by twice the lock, and 1 more where readers share it.
func numbered(lock uint32, shared bool) uint32 {
	if shared {
		return 2*lock + 1
	}
	return 2 * lock
}

// excludes reports whether two threads can't hold two locks at once.
func excludes(a, b uint32) bool { return a>>1 == b>>1 && a&b&1 == 0 }

// A holding is a lock that is held.
type holding struct {
	lock  uint32
	depth uint32 // how often it was taken
	clock *order.Clock
	at    event.Step
}

// A pattern is acquires of a lock by a thread that holds others.
type pattern struct {
	thread uint32
	lock   uint32
	held   []uint32 // sorted
	uses   []use
}

// A use is an acquire of a pattern, the first of those that are alike.
type use struct {
	stretch uint32
	clock   *order.Clock
	at      event.Step
	held    []holding
	segment []step // before it, since its thread last held nothing
}

// maxUses is how many uses of a pattern are kept in a stretch: those with other segments.
const maxUses = 16

// New is a checker.
func New() *Checker {
	return &Checker{order: order.New(nil), number: make(map[string]int)}
}

// Event takes the next event of a well-formed stream whose locks are mutexes.
func (c *Checker) Event(e *event.Event) {
	switch e.Op {
	case event.Acquire:
		c.acquire(c.thread(e.Thread), e, numbered(e.Target, false), true)
	case event.Release, event.ReleaseMerge:
		c.thread(e.Thread).release(e.Target)
	case event.Fork, event.Join:
		c.order.Order(e)
		c.thread(e.Thread).stale = true
	}
	c.index++
}

func (c *Checker) thread(t uint32) *thread {
	c.threads = table.Grow(c.threads, t)
	th := &c.threads[t]
	if !th.started {
		th.started, th.stale = true, true
	}
	return th
}

// acquire takes the taking of a lock, for which the thread would have waited or not.
func (c *Checker) acquire(th *thread, e *event.Event, lock uint32, waits bool) {
	for i := range th.held {
		if th.held[i].lock>>1 == lock>>1 {
			th.held[i].depth++
			return
		}
	}
	at := event.Step{Index: c.index, Event: *e}
	if th.stale {
		th.stale = false
		th.stretch++
		c.order.Order(&event.Event{Op: event.Begin, Thread: e.Thread}) // it has events of its own
		clock := c.order.Snapshot(e.Thread)
		th.clock = &clock
	}
	if len(th.held) > 0 && waits {
		if p := c.pattern(th, e, lock); p.needs(th) {
			p.uses = append(p.uses, use{th.stretch, th.clock, at, slices.Clone(th.held),
				slices.Clip(th.segment)})
			th.shared = true
		}
	}
	th.segment = append(th.segment, step{lock, true, th.clock})
	th.held = append(th.held, holding{lock: lock, depth: 1, clock: th.clock, at: at})
	list := th.taken[lock]
	if n := len(list); n == 0 || list[n-1].stretch != th.stretch {
		if th.taken == nil {
			th.taken = make(map[uint32][]taken)
		}
		th.taken[lock] = append(list, taken{th.stretch, th.clock, c.index})
	}
}

// release reports whether the thread has held the lock.
func (th *thread) release(lock uint32) bool {
	for i := range th.held {
		if h := &th.held[i]; h.lock>>1 == lock {
			if h.depth--; h.depth == 0 {
				th.segment = append(th.segment, step{h.lock, false, th.clock})
				th.held = slices.Delete(th.held, i, i+1)
			}
			if len(th.held) == 0 {
				th.newSegment()
			}
			return true
		}
	}
	return false
}

// pattern is that of an acquire.
func (c *Checker) pattern(th *thread, e *event.Event, lock uint32) *pattern {
	held := make([]uint32, 0, 8)
	for i := range th.held {
		held = append(held, th.held[i].lock)
	}
	slices.Sort(held)
	c.key = binary.LittleEndian.AppendUint32(c.key[:0], e.Thread)
	c.key = binary.LittleEndian.AppendUint32(c.key, lock)
	for _, l := range held {
		c.key = binary.LittleEndian.AppendUint32(c.key, l)
	}
	n, ok := c.number[string(c.key)]
	if !ok {
		n = len(c.patterns)
		c.number[string(c.key)] = n
		c.patterns = append(c.patterns, pattern{thread: e.Thread, lock: lock,
			held: slices.Clone(held)})
	}
	return &c.patterns[n]
}

// newSegment begins a segment: the thread holds nothing.
func (th *thread) newSegment() {
	if th.segment = th.segment[:0]; th.shared {
		th.segment, th.shared = nil, false
	}
}

// needs reports whether a use by a thread is like none that is kept.
func (p *pattern) needs(th *thread) bool {
	n := 0
	for i := len(p.uses) - 1; i >= 0 && p.uses[i].stretch == th.stretch; i-- {
		if p.uses[i].like(th) {
			return false
		}
		n++
	}
	return n < maxUses
}

// like reports whether a thread is where the use was: the same locks are held since the same
// stretches, and the same ones were taken and let go before.
func (u *use) like(th *thread) bool {
	return slices.EqualFunc(u.held, th.held, func(a, b holding) bool {
		return a.lock == b.lock && a.clock == b.clock
	}) && slices.EqualFunc(u.segment, th.segment, func(a, b step) bool {
		return a.lock == b.lock && a.takes == b.takes && a.clock == b.clock
	})
}

// before reports whether what one stretch does comes before what another one does.
func before(a, b *order.Clock) bool { return b.At(a.Slot()) >= a.Own() }

// concurrent reports whether neither of two uses comes before the other.
func (u *use) concurrent(v *use) bool {
	return !before(u.clock, v.clock) && !before(v.clock, u.clock)
}
