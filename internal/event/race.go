// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package event

// A RaceChecker looks for pairs of events that conflict and are not ordered by happens-before.
type RaceChecker interface {
	// Event takes the next event of a well-formed stream. It reports whether the event is in a race
	// with an earlier one.
	Event(e *Event) bool

	// Race is the pair that was found by the last call of Event that returned true.
	Race() Race
}

// A Race is two events that conflict and are not ordered.
type Race struct {
	First, Second Step
}

// A Step is an event and its place in the stream.
type Step struct {
	Index uint64 // from 0
	Event Event
}
