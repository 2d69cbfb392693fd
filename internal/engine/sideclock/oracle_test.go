// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sideclock

import (
	"maps"
	"math/rand"

	"github.com/commutego/commute/internal/engine/vclock"
)

// known is what a clock knows, event by event: the slow oracle of clocks.
type known map[int]bool

func (k known) learn(other known) { maps.Copy(k, other) }

// An ended is what the oracle keeps of a complete section that has ended: what it has read and
// written, and what its goroutine knew.
type ended struct {
	reads, writes map[int]bool
	knew          known
}

// A modelLock is a lock: what was released by it, and the complete sections so far.
type modelLock struct {
	released known
	sections []ended
}

// join is all that was known at the ends of those sections that are wanted.
func (l *modelLock) join(k known, wanted func(*ended) bool) {
	for i := range l.sections {
		if wanted(&l.sections[i]) {
			k.learn(l.sections[i].knew)
		}
	}
}

// A model is what a goroutine knows, by its weak clock, and the section that it is in.
type model struct {
	known    known
	in       int // the lock that it has and 1, 0 if it has none
	complete bool
	reads    map[int]bool
	writes   map[int]bool
}

// begin begins a section of a lock.
func (m *model) begin(l *modelLock, lock int, complete bool) {
	m.in, m.complete = lock+1, complete
	m.reads, m.writes = make(map[int]bool), make(map[int]bool)
	m.known.learn(l.released)
	if !complete {
		l.join(m.known, func(*ended) bool { return true })
	}
}

// end ends it.
func (m *model) end(l *modelLock) {
	m.in = 0
	if !m.complete {
		l.released = maps.Clone(m.known)
		return
	}
	if len(m.reads)+len(m.writes) == 0 {
		return // it has done nothing
	}
	conflict := func(a, b map[int]bool) bool {
		for x := range a {
			if b[x] {
				return true
			}
		}
		return false
	}
	l.join(m.known, func(e *ended) bool {
		return conflict(m.reads, e.writes) || conflict(m.writes, e.writes) ||
			conflict(m.writes, e.reads)
	})
	l.sections = append(l.sections, ended{m.reads, m.writes, maps.Clone(m.known)})
}

// flush comes before the goroutine releases something in a section.
func (m *model) flush(locks []modelLock) {
	if m.in > 0 && m.complete && len(m.reads)+len(m.writes) > 0 {
		locks[m.in-1].join(m.known, func(*ended) bool { return true })
	}
}

// The methods of addresses do by sets what those of Clock do.

func (k known) order(at map[uintptr]known, addr uintptr) {
	k.learn(at[addr])
	at[addr] = maps.Clone(k)
}

func (k known) exchange(at map[uintptr]known, addr uintptr) {
	knew := maps.Clone(k)
	k.learn(at[addr])
	at[addr] = knew
}

func (k known) release(at map[uintptr]known, addr uintptr, merge bool) {
	now := maps.Clone(k)
	if merge {
		now.learn(at[addr])
	}
	at[addr] = now
}

// addresses keep clocks, by address.
type addresses map[uintptr]*vclock.LockClock

func (a addresses) clock(addr uintptr) *vclock.LockClock {
	if a[addr] == nil {
		a[addr] = new(vclock.LockClock)
	}
	return a[addr]
}

func (a addresses) Acquire(c *Clock, addr uintptr, timer bool) { c.Acquire(a.clock(addr), timer) }
func (a addresses) Order(c *Clock, addr uintptr, timer bool)   { c.Order(a.clock(addr), timer) }
func (a addresses) Exchange(c *Clock, addr uintptr, timer bool) {
	c.Exchange(a.clock(addr), timer)
}
func (a addresses) Release(c *Clock, addr uintptr, timer, merge bool) {
	c.Release(a.clock(addr), timer, merge)
}

// pick is one of the elements of a list.
func pick[T any](r *rand.Rand, list []T) T { return list[r.Intn(len(list))] }
