// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

// An Epoch is one component of a vector clock: a slot in its upper 24 bits and a time in its lower
// 40. Two epochs of one slot compare like their times. The zero Epoch is known to every thread.
type Epoch uint64

const (
	timeBits = 40
	maxTime  = 1<<timeBits - 1
	maxSlots = 1 << (64 - timeBits)
)

func makeEpoch(slot uint32, time uint64) Epoch { return Epoch(slot)<<timeBits | Epoch(time) }

// Slot is the component that e belongs to.
func (e Epoch) Slot() uint32 { return uint32(e >> timeBits) }

// Time is the value of the component, counted from 1.
func (e Epoch) Time() uint64 { return uint64(e & maxTime) }
