// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package reorder computes the other orders in which the events of a trace could have happened, as
// far as the trace shows them.
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
//   - what may have seen anything comes after all that was before it in the trace, as it was, and
//     no more.
//
// The last step of a thread may be a read that sees another write: it is broken. What the thread
// would do then isn't known, but the read happens.
//
// # Recorded traces
//
// A trace that commute has recorded leaves accesses out that repeat others of a block, and names
// channels and WaitGroups only. So in an order of its steps
//
//   - of two operations on objects the one that was later in the trace doesn't come first, unless
//     both acquire or both merge, or it is known of both on which object they are, and these are
//     two;
//   - a step may come after all that another thread had done by then: that has looked at what the
//     step changes;
//   - a thread that is in a block doesn't go on there when another has made an access that
//     conflicts with one of the block, for it may make that again;
//   - a read sees what another thread wrote only if the write's block is over;
//   - of accesses of a variable and what else is done to it, as by a mutex that lies there, the
//     order stays;
//   - a thread whose last read is broken may release locks then, if that is what it does next.
//
// What wasn't so in the trace itself, as two threads met in their blocks, is fixed ([Blocks]).
// Atomic operations are accesses, each recorded: one that reads and writes sees the same write.
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
//	block     what a thread does between two places where it hands on what it has done
//	fixed     of a step: it is made only if all before it was made, and in the trace's order
//	local     of a number: it counts only what a piece has
package reorder
