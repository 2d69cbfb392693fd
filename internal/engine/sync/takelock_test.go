// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/deadlock"

// take has g take a lock as the hook has it.
func take(g *Thread, lock uintptr, m deadlock.Mode, place deadlock.Place) {
	var at *deadlock.Place
	if TakesKnown(g, lock) || TakesAgain(g, lock, lock, 0) {
		at = TakesAlone(g, lock, m)
	} else {
		AcquireLock(g, lock)
		at = TakeLock(g, lock, m)
	}
	if at != nil {
		*at = place
		return
	}
	*NextPlace(g) = place
	TakeNext(g, lock, m)
}

// let has g let a lock go as the hook has it, for others to hold as well if merge is set.
func let(g *Thread, lock uintptr, merge bool) {
	switch {
	case LetsKnown(g, lock, merge):
		LetLock(g, lock)
		return
	case merge:
		LetLock(g, lock)
		ReleaseMergeLock(g, lock)
	default:
		LetLock(g, lock)
		ReleaseLock(g, lock)
	}
}
