// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package reorder computes the other orders in which the events of a trace could have happened, as
// far as the trace shows them.
//
// Input: a piece of a trace, as steps ([Piece]). Output: for an order of some of its steps, whether
// the program could have made it ([Piece.Validate]); and orders that it could have made: the least
// that has given steps ([Segment.Closure]), and those that a [Runner] goes through.
//
// The orders are those of Sinha, Malik, Wang and Gupta, "Predictive Analysis for Detecting
// Serializability Violations through Trace Segmentation" (MEMOCODE 2011), section II.C: almost
// view-preserving interleavings. One error of the definition is corrected here: a thread stops at a
// read that sees another value, and no order assumes anything about what it would have done next.
//
// # The orders
//
// An order is a sequence of some of the steps. Each thread makes a prefix of its steps. Each step
// observes the same as in the trace:
//
//   - a read sees the same write, or none;
//   - a lock that it takes is free. Readers of a lock don't exclude each other;
//   - the first step of a thread comes after its fork, and a join comes after all steps of the
//     thread;
//   - an operation on an object of synchronization comes after all earlier operations on it, and
//     before all later ones. Two acquires may change places, and so may two merging releases;
//   - a touch of an access point comes after all earlier touches that conflict with it, and before
//     all later ones;
//   - a step that may have seen anything comes after exactly the steps that were before it in the
//     trace, in the same order.
//
// The last step of a thread may be a read that sees another write: such a read is broken. The read
// happens, but it isn't known what the thread would do afterwards.
//
// # Recorded traces
//
// A trace that commute has recorded leaves out accesses that repeat others of a block, and
// identifies only channels and WaitGroups. So further rules hold for an order of its steps:
//
//   - two operations on objects stay in their order, unless both acquire or both merge, or both are
//     on known objects that differ;
//   - a step may have to come after all steps of another thread so far, since that thread has
//     looked at what the step changes;
//   - a thread in a block stops when another thread makes an access that conflicts with one of the
//     block, for the block may repeat that access;
//   - a read sees a write of another thread only if the write's block is over;
//   - accesses to a variable keep their order with other operations at its address, as of a mutex
//     that lies there;
//   - a thread whose last read is broken may then release locks, if its next steps in the trace are
//     releases.
//
// Steps that break these rules in the trace itself, because two threads met in their blocks, are
// fixed ([Blocks]). Atomic operations are accesses, and each is recorded: one that reads and writes
// sees the same write.
//
// If the steps of a program's threads depend only on their observations, the program that made the
// trace could have made each of these orders.
//
// # Terms
//
//	piece     consecutive steps of a trace, and what was open before them
//	step      an event, by what it means for the order of others
//	cut       for each thread, the number of its steps that were made
//	section   from the taking of a lock to its release
//	broken    of a read: it sees another write than in the trace
//	block     the steps of a thread between two of its releases
//	fixed     of a step: it is made only if all steps before it were made, in the trace's order
//	local     of a number: it numbers only what occurs in a piece
package reorder
