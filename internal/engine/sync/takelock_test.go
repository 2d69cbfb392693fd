// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/deadlock"

// take has g take a lock as the hook has it.
func take(g *Thread, lock uintptr, m deadlock.Mode, place deadlock.Place) {
	if at := TakesQuick(g, lock, lock, m); at != nil {
		quick[0]++
		*at = place
		return
	}
	var at *deadlock.Place
	again := false
	if MayTakeInside(g, lock, 0) {
		if at = TakesInside(g, lock, lock, 0, m); at != nil {
			insides++
			*at = place
			return
		}
	}
	if at := TakesOrdered(g, lock, lock, m); at != nil {
		quick[1]++
		*at = place
		return
	}
	if TakesAgain(g, lock, lock, 0) {
		again = true
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
	if again {
		NoteInside(g, lock, lock, 0, m)
	}
}

// insides counts how often take and let had nothing else to do, as the lock was taken again in the
// same way.
var insides int

// quick counts how often TakesQuick, TakesOrdered and LetsQuick had something to do.
var quick [3]int

// let has g let a lock go as the hook has it, for others to hold as well if merge is set.
func let(g *Thread, lock uintptr, merge bool) {
	switch {
	case LetsQuick(g, lock, lock):
		quick[2]++
		return
	case HoldsMany(g) && LetsInside(g, lock, lock):
		insides++
		return
	case LetsKnown(g, lock, merge):
		if !LetAlone(g, lock) && !LetLast(g, lock) {
			LetOther(g, lock)
		}
		return
	case merge:
		LetLock(g, lock)
		ReleaseMergeLock(g, lock)
	default:
		LetLock(g, lock)
		ReleaseLock(g, lock)
	}
}
