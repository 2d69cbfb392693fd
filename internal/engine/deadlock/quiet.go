// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

// A quietWant is a lock that a goroutine has wanted while it held others. All uses that this makes
// are noted already.
type quietWant struct {
	to       uintptr
	held     uint64 // a hash of all that was held, and of how it was wanted
	released uint32 // how much had been released: until there is more, nothing is to be noted
	left     uint32 // how many times there is nothing to note after that
	done     uint32 // how many of these there were, which known.times lacks
}

const nQuiet = 16

// quietWants are such locks, each at one of two places by its hash: a goroutine that takes one lock
// inside of another again and again has both, whatever their addresses.
type quietWants [nQuiet]quietWant

// of is the place of a lock. If it has none, that is the place of one that was not wanted of late.
func (q *quietWants) of(to uintptr, held uint64) *quietWant {
	i := mix(to, uintptr(held)) % nQuiet
	a, b := &q[i], &q[i^1]
	switch {
	case a.to == to && a.held == held:
		return a
	case b.to == to && b.held == held:
		return b
	case a.to != 0 && (b.to == 0 || b.released < a.released):
		return b
	}
	return a
}

// skips reports whether there is nothing to note of a lock.
func (q *quietWant) skips(to uintptr, held uint64, released uint32) bool {
	if q.to != to || q.held != held {
		return false
	}
	if q.released == released {
		return true
	}
	if q.left == 0 {
		return false
	}
	q.left--
	q.done++
	q.released = released
	return true
}

// takeDone returns done, which is to be added to known.times, and empties the place.
func (q *quietWant) takeDone(to uintptr, held uint64) uint32 {
	if q.to != to || q.held != held {
		return 0
	}
	q.to = 0
	return q.done
}
