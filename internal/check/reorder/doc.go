// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package reorder has the other orders in which the events of a trace could have happened, as far
// as the trace shows it.
//
// Input: a piece of a trace, as steps ([Piece]). Output: for an order of some of its steps, whether
// the program could have made it ([Piece.Validate]); and orders that it could have made: the least
// that has given steps ([Segment.Closure]), and those that a [Runner] goes through.
//
// The notion is that of Sinha, Malik, Wang and Gupta, "Predictive Analysis for Detecting
// Serializability Violations through Trace Segmentation" (MEMOCODE 2011), section II.C: almost
// view-preserving interleavings. It is repaired here: a thread stops at a read that sees another
// value, and nothing that depends on what would have followed is taken for granted.
//
// # The orders
//
// An order is a sequence of some steps. Each thread does a prefix of what it did. Each step
// observes what it observed in the trace:
//
//   - a read the same write, or none;
//   - a lock that it takes is free. Readers of a lock don't exclude each other;
//   - the first step of a thread comes after the fork of it; a join after all of the thread;
//   - an operation on an object of synchronization comes after all earlier operations on it, and
//     before all later ones. Two acquires may change places, and so may two merging releases;
//   - so does a touch of an access point, and the earlier and later ones that conflict with it;
//   - what may have seen anything comes after all that was before it in the trace, and no more.
//
// The last step of a thread may be a read that sees another write: it is broken. What the thread
// would do then isn't known, but the read happens.
//
// If a program's threads do what depends on their observations only, the program that made the
// trace could have made each of these orders.
//
// # Terms
//
//	piece     steps that follow each other in a trace, and what was open before them
//	step      an event, by what it means for the order of others
//	cut       for each thread how many of its steps were made
//	section   from the taking of a lock to its release
//	broken    of a read: it sees another write than in the trace
//	local     of a number: it counts only what a piece has
package reorder
