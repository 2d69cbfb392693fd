// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package commrace finds commutativity races: Algorithm 1 of Dimitrov et al., "Commutativity Race
// Detection" (PLDI 2014), section 5.3, over the access points of section 6.
//
// Input: calls of an object's methods, each with the access points that it touches (as compiled by
// package ecl, see [Build]) and the clock of the thread that makes it. Output: pairs of
// [Action]s that touch conflicting points and are not ordered by happens-before, told to a [Sink].
//
// Where Algorithm 1 keeps one clock per point, an [Object] keeps per point the last touches that no
// later one supersedes, as epochs (after FastTrack) with the action that made each, so that a
// report can show both sides. A check looks at the touches of the conflicting points only, a
// number that the specification bounds (theorem 6.6), so its cost does not grow with the calls
// that were made before.
//
// Calls that commute exchange no information. A call joins, after it was checked, the clocks of the
// earlier calls that it doesn't commute with: so a Load that sees a Store comes after it, as the
// memory model says. A call that is under way may have taken effect already: calls that end
// meanwhile, and may not commute with it, join its clock too ([Object.Begin]).
//
// Of races it is told whether they break a check and act: an observation, and a change by the same thread that depends on
// what was observed (checkact.go). That is a transaction of two calls, and the notions are those of conflict serializability,
// with commutativity for conflicts.
//
// Touches that every live thread knows of can be in no race any more; they are dropped when an
// object's table would grow.
package commrace
