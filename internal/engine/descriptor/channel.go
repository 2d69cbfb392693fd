// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
)

// A Channel is what two ends share. Side 0 is the end that was named first; a file has no other.
type Channel struct {
	clock  [2]uint64 // the addresses at which writes at each end are released
	seen   [2]atomic.Uint32
	shared atomic.Uint32

	// The table's lock guards what follows.
	open  [2]int // how many known descriptors each end has
	names [2]node
	// the list of channels without open descriptors
	older, newer offheap.Ref[Channel]
	idle, file   bool // it is in a list, and in which one
}

// A node is an end in the list of names with its hash.
type node struct {
	name    Name
	channel offheap.Ref[Channel]
	side    int
	next    offheap.Ref[node]
}

var channels offheap.Slab[Channel]

// newChannel makes a channel with nothing known of its ends.
func newChannel() *Channel {
	c := channels.Get()
	for side := range c.names {
		c.seen[side].Store(0)
		c.open[side] = 0
		c.names[side] = node{channel: offheap.To(c), side: side}
	}
	c.shared.Store(0)
	c.idle = false
	c.older, c.newer = offheap.Ref[Channel]{}, offheap.Ref[Channel]{}
	return c
}

// Memory is where the addresses of a channel are.
func (c *Channel) Memory() (addr, size uintptr) {
	return uintptr(unsafe.Pointer(&c.clock)), unsafe.Sizeof(c.clock)
}

// written is the address at which writes at an end are released.
func (c *Channel) written(side int) uintptr { return uintptr(unsafe.Pointer(&c.clock[side])) }

// source is the side whose writes a side reads.
func (c *Channel) source(side int) int {
	if c.isFile() {
		return side
	}
	return 1 - side
}

func (c *Channel) isFile() bool { return c.names[0].name.Kind == File }

// enter notes that an end has one more known descriptor. An end that had some before, none of which
// is open, may be that of a new connection of the same addresses.
func (c *Channel) enter(side int) {
	if other := 1 - side; c.open[side] == 0 && c.seen[side].Load() != 0 && c.open[other] == 0 {
		c.seen[other].Store(0)
	}
	c.open[side]++
	c.seen[side].Store(1)
}
