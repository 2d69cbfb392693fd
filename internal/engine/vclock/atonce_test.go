// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import "testing"

// TestReleaseAtOnce has releases of which nothing is left but to store what the thread knows, and
// others, which do nothing.
func TestReleaseAtOnce(t *testing.T) {
	var w World
	var a, b Thread
	w.Start(&a)
	w.Start(&b)
	var m SingletonClock
	if m.ReleaseAtOnce(&a) || m.Epoch().Load() != 0 {
		t.Error("an epoch is released at once that is not published")
	}
	m.Release(&a)
	var second SingletonClock
	a.epochID.Store(1) // who has published the epoch has not cleared that yet
	if !second.ReleaseAtOnce(&a) || Epoch(second.Epoch().Load()) != a.Now() || a.EpochID() != 0 {
		t.Error("a published epoch is not released at once, or its ID is left")
	}
	var third SingletonClock
	third.Release(&b)
	was := third.Epoch().Load()
	if third.ReleaseAtOnce(&a) || third.Epoch().Load() != was {
		t.Error("what another thread has released is lost, or may be what a knows")
	}
}
