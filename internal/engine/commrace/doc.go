// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package commrace finds commutativity races: Algorithm 1 of Dimitrov et al., "Commutativity Race
// Detection" (PLDI 2014), section 5.3, over the access points of section 6.
//
// Input: calls of an object's methods. Each comes with the access points that it touches (as
// compiled by package ecl, see [Build]) and the clock of its thread. Output: pairs of [Action]s
// that touch conflicting points and are not ordered by happens-before. The package hands them to a
// [Sink].
//
// # Terms
//
//	access point      a class of effects of calls, for each key or for the object (section 6)
//	conflict          two access points conflict if calls that touch them may not commute
//	touch             a call has touched an access point; the point's list keeps the touch
//	action            the record of a call that has returned, kept as long as some touch needs it
//	pending call      a call that has begun and not ended, and may change the object
//	narrow, wide call a call that one stripe of its object is enough for, or any other (stripes.go)
//	open call         a call of a type that is synchronization itself (open.go)
//	owner             the only goroutine that calls an object, as far as is known (own.go)
//	role              observer, mutator or arbiter: what a method is for
//	epoch             a thread's slot and time, at which it made a touch (package vclock)
//	generation        a counter of an object that each recorded change moves on
//	subsume           a later touch subsumes an earlier one if it can stand for it in every check
//	check, act        an observation, and a later mutation that the program decided by its result
//	violation         how a race breaks a check-then-act; see [Violation]
//	interfering call  the call of the other goroutine in a violation
//	symmetric check   a violation: the interfering call is the same check in another goroutine
//	semantic exception
//	                  a reason to commute that access points cannot express: equal values, or a
//	                  result that the caller doesn't use
//
// # Three subjects
//
// The race check, Algorithm 1:
//
//	check.go     a call begins and ends; phase 1, the search for conflicting touches
//	touch.go     phase 2, the call's own touches; which earlier touches they subsume
//	join.go      what the thread of a call learns from the calls that it doesn't commute with
//	quick.go     the first fast path, for an observation that its processor remembers: no lock
//	seen.go      what is remembered, and which call a touch stands for
//	changes.go   the same for a call that changes something: it takes the lock, and looks for nothing
//	repeat.go    the second one, for a call that repeats an earlier one
//	learn.go     an observation that no report can name
//	renew.go     the third one, for an observation that meets nothing that is unknown
//	fetch.go     memory that a call will look at is asked for ahead
//	own.go       an object that one goroutine alone calls
//	ownend.go    the ends of that goroutine's calls
//	handed.go    how another goroutine gets to be the owner
//	pending.go   calls under way, and what is kept for their end
//	subsumed.go  subsumed touches that a call under way still needs
//	callback.go  calls that call back into the program
//	open.go      calls that are synchronization themselves
//	lists.go     an object's touches, by access point and key
//	conflict.go  which calls conflict, by the specification
//	object.go    the object: its touches and the calls under way
//	stripes.go   its locks: an object is divided by key where callers wait for each other
//	held.go      what a call has locked, and the lists that it has to look at
//	narrow.go    which methods' calls need one stripe only, by the specification
//	generation.go  the counter that tells what came before a change and what after it
//	action.go, arg.go, call.go   the record of a call; its arguments; the call as it is made
//	table.go, build.go, points.go   the specification
//
// Check-then-act, for a race that was found:
//
//	checkact.go   which checks an act depends on
//	inherit.go    checks whose touch was subsumed by another goroutine's call
//	violation.go  how the race breaks the check and act
//	effect.go     what a call would have changed, had it come at another time
//
// Semantic exceptions: exception.go.
//
// # How a call is checked
//
// Where Algorithm 1 keeps one clock per point, an [Object] keeps per point the last touches that
// no later touch subsumes. Each is an epoch (after FastTrack) with the action that made it, so
// that a report can show both sides. A check looks at the touches of the conflicting points only.
// The specification bounds their number (theorem 6.6), so the cost of a check does not grow with
// the calls that were made before.
//
// The order of the steps in [Object.End] matters. The search comes first, with what the thread knew
// when it made the call. Then the thread joins the clocks of the conflicting calls. Only then does
// it step to the epoch that its own touches get. A thread that knows this epoch must also know
// everything that the call was ordered after.
//
// Calls that commute exchange no information. A call joins, after it was checked, the clocks of
// the earlier calls that it doesn't commute with. So a Load that sees a Store comes after the
// Store, as the memory model says. A call that is under way may have taken effect already: calls
// that end meanwhile, and may not commute with it, join its clock too ([Object.Begin]).
//
// For each race the package says whether it breaks a check-then-act: an observation, and a change
// by the same thread that depends on what was observed (checkact.go). The two calls are meant to be
// a transaction. The notions are those of conflict serializability, with commutativity in the place
// of read-write conflicts.
//
// A touch that every live thread knows can be in no race any more. Such touches are dropped when an
// object's table would grow.
package commrace
