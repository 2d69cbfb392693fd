// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What a send or a receive that finds no partner depends on. No event announces it: whether it
// fails depends on what others have done with the channel. If nobody but the goroutine itself has
// sent or received there, it depends on nothing.

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
}

// commute_failedOn comes where the current goroutine could not send to a channel or receive from
// it, and did something else.
func commute_failedOn(c *hchan) {
	if !commute_aloneOn(c) {
		commute_failedAttempt()
	}
}

// commute_failedOnAll is the same where no case of a select was ready.
func commute_failedOnAll(cases []scase) {
	for i := range cases {
		if !commute_aloneOn(cases[i].c) {
			commute_failedAttempt()
			return
		}
	}
}

// commute_aloneOn reports whether no other goroutine than the current one has sent to a channel, or
// received from it. A channel that is not ready is not closed. The lock orders the look after the
// operation that the attempt has failed for.
func commute_aloneOn(c *hchan) bool {
	if c == nil || getg().racectx == 0 {
		return true
	}
	lock(&c.lock)
	by := c.commute_by
	unlock(&c.lock)
	return by == 0 || by == getg().goid
}
