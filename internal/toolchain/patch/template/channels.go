// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What a trace is told of channels: which addresses are one's, and attempts that fail. No event
// announces a send or a receive that finds no partner: whether it fails depends on what others have
// done with the channel. If nobody but the goroutine itself has sent or received there, it depends
// on what others do later.

import "unsafe"

// commute_several is the commute_by of a channel that several goroutines have used.
const commute_several = ^uint64(0)

// commute_operated comes when the current goroutine sends or receives, or one that has waited, sg.
// The channel is locked.
func commute_operated(c *hchan, sg *sudog) {
	by := getg().goid
	if sg != nil || c.timer != nil || c.commute_by != 0 && c.commute_by != by {
		by = commute_several
	}
	c.commute_by = by
	if commute_memory && commute_record_On() && c.commute_told != commute_record_Epoch() {
		commute_tellChannel(c)
	}
}

// commute_closing comes before a channel is closed. The channel is locked. What it records has a
// number after all that was done to the channel, which a release by itself need not have.
func commute_closing(c *hchan) {
	if commute_memory && commute_record_On() {
		commute_tellChannel(c)
	}
}

// commute_tellChannel records which addresses are a channel's. Those of timers are not told: their
// order is that of time.
func commute_tellChannel(c *hchan) {
	ctx := getg().racectx
	if ctx == 0 || c.timer != nil {
		return
	}
	mp := acquirem()
	told := commute_record_Epoch()
	size := uintptr(c.dataqsiz) * uintptr(c.elemsize)
	if commute_record_Channel(&commute_ctx(ctx).commute_record_Recorded, uintptr(c.raceaddr()),
		uintptr(c.buf), size) {
		c.commute_told, c.commute_looked = told, 0
	}
	releasem(mp)
}

// commute_failedOn comes where the current goroutine could not send to a channel, or receive from
// it, and did something else.
func commute_failedOn(c *hchan, sends bool) {
	if c == nil || getg().racectx == 0 {
		return
	}
	// The lock orders this after the operation that the attempt has failed for.
	lock(&c.lock)
	alone, ready := commute_isAloneOn(c), c.closed != 0
	switch {
	case alone:
	case sends:
		ready = ready || c.recvq.first != nil || c.qcount < c.dataqsiz
	default:
		ready = ready || c.sendq.first != nil || c.qcount > 0
	}
	switch {
	case alone && !ready:
		commute_failedAlone(c)
	case !alone && !ready && c.timer == nil:
		commute_failedAt(unsafe.Pointer(c.raceaddr()))
	default: // it isn't as it was any more, or the order is that of time
		commute_failedAttempt()
	}
	unlock(&c.lock)
}

// commute_failedOnAll is the same where no case of a select was ready.
func commute_failedOnAll(cases []scase) {
	if getg().racectx == 0 {
		return
	}
	first := true
	for i := range cases {
		c := cases[i].c
		if c == nil {
			continue
		}
		lock(&c.lock)
		alone := commute_isAloneOn(c) && c.closed == 0
		switch {
		case !alone:
			commute_failedAttempt()
		case first:
			commute_failedAlone(c)
		default:
			commute_lookedAt(c)
		}
		unlock(&c.lock)
		if first = false; !alone {
			return
		}
	}
}

// commute_failedAlone comes when the current goroutine has failed on a channel that no other one
// has used, and that is locked. What it does next depends on nothing that it doesn't know. But if
// others came first, and used the channel, it might not have failed.
func commute_failedAlone(c *hchan) {
	if !commute_memory {
		return
	}
	mp := acquirem()
	g := commute_ctx(getg().racectx)
	g.OtherEvent()
	if commute_record_On() {
		commute_record_FailedOn(&g.commute_record_Recorded, uintptr(c.raceaddr()), true)
	}
	releasem(mp)
}

// commute_isAloneOn reports whether no other goroutine than the current one has sent to a channel,
// or received from it. A channel that is not ready is not closed. The channel is locked.
func commute_isAloneOn(c *hchan) bool {
	return c.commute_by == 0 || c.commute_by == getg().goid
}

// commute_lookedAt records that the current goroutine has failed on a channel that no other one has
// used, and first on another one. It does so once for many times. The channel is locked.
func commute_lookedAt(c *hchan) {
	if !commute_memory || !commute_record_On() {
		return
	}
	gp := getg()
	if c.commute_told != commute_record_Epoch() {
		commute_tellChannel(c)
	}
	if c.timer == nil && c.commute_looked != uint32(gp.goid) {
		c.commute_looked = uint32(gp.goid)
		mp := acquirem()
		commute_record_Looking(&commute_ctx(gp.racectx).commute_record_Recorded,
			uintptr(c.raceaddr()))
		releasem(mp)
	}
}
