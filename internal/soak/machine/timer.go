// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import "time"

const (
	soon = time.Microsecond
	late = 2 * time.Second
)

// reset has a timer fire soon, of which the notice tells.
func reset(t *time.Timer, fired *notice) {
	t.Reset(soon)
	go insist(func() {
		if t.Stop() {
			t.Reset(soon)
		}
	}, fired)
}

// insist resets a timer again that has not fired for long. Go can lose one. The function modify in
// time.go reads minWhenModified before it publishes that the timer is modified. If adjust sets that
// to 0 and looks at the timer in between, it's next looked at when the timer was due at first. That
// was seen in Go 1.26, without commute too, where modify is made to wait in between. Another reset
// mends it. The goroutine knows only what the one that made the reset did, so that it orders
// nothing.
func insist(again func(), fired *notice) {
	for pause := time.Millisecond; !fired.raised(); pause *= 2 {
		if pause > late {
			again()
			pause = late / 2
		}
		time.Sleep(pause)
	}
}
