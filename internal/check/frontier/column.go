// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import "github.com/commutego/commute/internal/check/table"

// A column has a number for some slots, 0 for the others. Slots that are in use only when very many
// transactions run at once are in a map, lest a column cost memory for each of those.
type column struct {
	low  []uint32
	high map[int32]uint32
}

const lowSlots = 256

func (c *column) at(s int32) uint32 {
	if int(s) < len(c.low) {
		return c.low[s]
	}
	if s < lowSlots {
		return 0
	}
	return c.high[s]
}

// set gives slot s a number, not 0.
func (c *column) set(s int32, n uint32) {
	if s < lowSlots {
		c.low = table.Grow(c.low, uint32(s))
		c.low[s] = n
		return
	}
	if c.high == nil {
		c.high = make(map[int32]uint32)
	}
	c.high[s] = n
}

// remove takes the number of slot s, which has one.
func (c *column) remove(s int32) {
	if s < lowSlots {
		c.low[s] = 0
		return
	}
	if delete(c.high, s); len(c.high) == 0 {
		c.high = nil
	}
}

// least is the smallest number, none if there is none. It adds the slots of the numbers up to j to
// found.
func (c *column) least(j uint32, found []int32) (uint32, []int32) {
	least := uint32(none)
	for s, n := range c.low {
		if n == 0 {
			continue
		}
		least = min(least, n)
		if n <= j {
			found = append(found, int32(s))
		}
	}
	for s, n := range c.high {
		least = min(least, n)
		if n <= j {
			found = append(found, s)
		}
	}
	return least, found
}
