// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import "github.com/commutego/commute/internal/engine/recorder"

// Which object of synchronization an address belongs to: operations on different channels may
// change places in a prediction. It is recorded once for each object, or again when it may be
// written over (see [recorder.Epoch]), and not with each operation.

// Channel records that an address is a channel's, as are the size bytes of its buffer. It
// reports false if nothing is recorded of g.
func Channel(g *Recorded, addr, buffer, size uintptr) bool {
	if g.InTrace.Number == 0 {
		return false
	}
	recorder.OfObject(&g.InTrace, recorder.Channel, 0, uint64(addr))
	if size > 0 {
		recorder.OfObject(&g.InTrace, recorder.Slots, uint64(size), uint64(buffer))
	}
	return true
}

// Adding records that g has added so much to the counter of a WaitGroup. That orders no goroutines,
// but Wait depends on it.
func Adding(g *Recorded, group uintptr, delta int) {
	if g.InTrace.Number != 0 {
		recorder.OfObject(&g.InTrace, recorder.Adds, uint64(delta), uint64(group))
	}
}

// FailedOn records that g could not send to a channel, or receive from it, and that this depends on
// nothing else. Alone says that no other goroutine has used the channel. If that isn't so, it is
// RecordFailed, too.
func FailedOn(g *Recorded, channel uintptr, alone bool) {
	more := uint64(0)
	if alone {
		more = 1
	}
	if recordsLocks(g) || recordsSections(g) {
		recorder.OfObject(&g.InTrace, recorder.FailsOn, more, uint64(channel))
	}
}

// Looking records that g could not send to a channel, or receive from it, which no other
// goroutine has used.
func Looking(g *Recorded, channel uintptr) {
	if recordsLocks(g) {
		recorder.OfObject(&g.InTrace, recorder.LooksAt, 0, uint64(channel))
	}
}

// Anywhere records that g and h meet next, and that each could have gone another way: both
// are in a select. So it depends on other channels, too, whether they meet.
func Anywhere(g, h *Recorded) {
	if g.InTrace.Number == 0 || h.InTrace.Number == 0 {
		return
	}
	recorder.Progress(&g.InTrace, recorder.Anywhere, uint64(h.InTrace.Number))
}
