// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package proof proves transactions of a trace that commute has recorded to be atomic in all orders
// that its steps can have, and finds orders in which they are not.
//
// Input: the steps of the trace (package reorder). Output: for each transaction whether it is
// proven, or for which reason not; and potential violations, each with a schedule.
//
// It runs package forest twice, with different forced orders: the least order for proofs, and the
// greatest for alarms.
//
// # Proofs: the least order
//
// A proof is of the steps of the trace, whatever they read, in each interleaving that the program
// order and the locks allow. So only that counts as order which must be so in each of them:
//
//   - program order, and a go statement before what the goroutine does;
//   - Done of a WaitGroup before the end of Wait that it was before in the trace. That rests on the
//     WaitGroup's documentation: Add is called before Wait, and not by a goroutine that may come
//     too late.
//
// Channels, timers, Once, Cond, Pool and I/O order nothing here, as another goroutine might have
// sent, or been woken. For the same reason, more accesses and conflicts count than were recorded:
//
//   - An access is left out that repeats one of its block. So one is taken to be made twice, and
//     again at each lock that is taken in the block, and at the end of the block. This holds for
//     those of libraries too, if somebody else's access of the variable is a conflict.
//   - An access of a variable is one of each part of it that is split off later.
//   - An atomic operation is an access of what is accessed plainly there, too: of the part that has
//     its word.
//   - Transactions that take a lock conflict, and so do two that use channels or the like. So what
//     is proven is nothing that the checks of observed orders could report.
//
// Where that is not enough the transaction is not proven:
//
//   - one that has not ended, or all if the trace starts in the middle;
//   - one with a lock that some goroutine has released for another, or of which a section isn't
//     told: it may not exclude;
//   - one with a call on an object of which some call calls back, for such a call takes effect at
//     several times. If there is one, the second condition of package forest proves nothing either,
//     as it goes by what others access.
//
// What a read sees isn't known where accesses are left out: a proof by views is one by conflicts.
// A failed attempt is a step that does nothing, and a TryLock that has succeeded one that succeeds.
//
// # Alarms: the greatest order
//
// The schedule of a potential violation may do only what the program could, so all order counts
// that may be forced. It is that of package reorder: operations on objects keep their order, of
// whichever objects they are; a lock that a Cond waits with, or of which not all is told, is such
// an object; what is fixed comes after all that was before it. The steps of a schedule are made one
// by one, with what package forest leaves out, and the first cycle must be closed by the alarm's
// transaction. Pieces of the trace are looked at one by one. Lock order is no conflict here. Memory
// that was written before anybody read it is read after that in a schedule, too: its reader
// wouldn't know of it before.
//
// # Costs
//
// Those of package forest. An access is taken twice. A piece has maxPiece steps in memory.
package proof
