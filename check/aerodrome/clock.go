// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import "math/bits"

// A clock is a vector time. Components that it doesn't have are 0.
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

// join makes c what c ⊔ d is.
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

// joinOnly makes the components of c that are of some threads what those of c ⊔ d are, but for one thread.
func (c *clock) joinOnly(threads *threadSet, d clock, except uint32) {
	for low := threads.low; low != 0; low &= low - 1 {
		c.joinOne(uint32(bits.TrailingZeros64(low)), d, except)
	}
	for i, high := range threads.high {
		each(high, uint32(i+1)*64, func(t uint32) { c.joinOne(t, d, except) })
	}
}

func (c *clock) joinOne(t uint32, d clock, except uint32) {
	if n := d.at(t); t != except && n > c.at(t) {
		c.set(t, n)
	}
}
