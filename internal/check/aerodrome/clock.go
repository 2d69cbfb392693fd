// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

// A clock is a vector clock, by thread. Components that it doesn't have are 0.
type clock []uint32

// at is component t.
func (c clock) at(t uint32) uint32 {
	if uint64(t) < uint64(len(c)) {
		return c[t]
	}
	return 0
}

// before reports whether c ⊑ d.
func (c clock) before(d clock) bool {
	for t, n := range c {
		if n > d.at(uint32(t)) {
			return false
		}
	}
	return true
}

// join makes c the join c ⊔ d.
func (c *clock) join(d clock) {
	if len(d) > len(*c) {
		*c = append(*c, make(clock, len(d)-len(*c))...)
	}
	for t, n := range d {
		if n > (*c)[t] {
			(*c)[t] = n
		}
	}
}

// assign makes c a copy of d.
func (c *clock) assign(d clock) {
	*c = append((*c)[:0], d...)
}

// set makes component t of c n.
func (c *clock) set(t, n uint32) {
	if uint64(t) >= uint64(len(*c)) {
		*c = append(*c, make(clock, int(t)+1-len(*c))...)
	}
	(*c)[t] = n
}

// raise makes component t of c at least n.
func (c *clock) raise(t, n uint32) {
	if n > c.at(t) {
		c.set(t, n)
	}
}

// A threadClock is C_t. Its own component is apart, so that a thread that has joined nothing takes
// no memory for a clock.
type threadClock struct {
	thread, own uint32
	others      clock
}

// at is component t.

func (p *threadClock) at(t uint32) uint32 {
	if t == p.thread {
		return p.own
	}
	return p.others.at(t)
}
