// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import "github.com/commutego/commute/internal/check/table"

// A column has a number for some slots, and 0 for the others. The low slots are in a slice. The
// others are in use only while very many transactions run at once. They are in a map, so that a
// column takes no memory for those that don't reach its thread.
type column struct {
	low  []uint32
	high map[int32]uint32
}

const lowSlots = 256

// at is the number of slot s, or 0.
func (c *column) at(s int32) uint32 {
	if int(s) < len(c.low) {
		return c.low[s]
	}
	if s < lowSlots {
		return 0
	}
	return c.high[s]
}

// set gives slot s a number that is not 0.
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

// remove removes the number of slot s, which has one. An empty map is freed: it might be large.
func (c *column) remove(s int32) {
	if s < lowSlots {
		c.low[s] = 0
		return
	}
	if delete(c.high, s); len(c.high) == 0 {
		c.high = nil
	}
}

// least is the smallest number, or none if the column is empty. It appends the slots that have a
// number up to j to found: their transactions reach number j. O(m) for m slots in use.
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
