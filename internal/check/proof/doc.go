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
// order and the locks allow. So an order counts only if it holds in each of these interleavings:
//
//   - program order, and a go statement before what the goroutine does;
//   - Done of a WaitGroup before the end of Wait, if it was so in the trace. This relies on the
//     WaitGroup's documentation: Add is called before Wait, and not by a goroutine that may come
//     too late.
//
// Channels, timers, Once, Cond, Pool and I/O order nothing here, as another goroutine might have
// sent, or been woken. For the same reason, more accesses and conflicts count than were recorded:
//
//   - The trace leaves out an access that repeats one of its block. So each access counts as made
//     twice, and again at each acquire in the block and at the end of the block. This also holds
//     for accesses of libraries, if another goroutine's access of the variable is a conflict.
//   - An access of a variable counts as an access of each part that is split off later.
//   - An atomic operation also counts as an access of the plainly accessed variable at its address:
//     of the part that has its word.
//   - Transactions that take a lock conflict, and so do two that use channels or the like. So the
//     checks of observed orders report no transaction that is proven.
//
// Some transactions are not proven:
//
//   - one that has not ended, or all if the trace starts in the middle;
//   - one with a lock that some goroutine has released for another, or that has a section the trace
//     doesn't record: such a lock may not exclude others;
//   - one with a call on an object that also has a call with a callback, for such a call takes
//     effect at several times. If the trace has such a call, the second condition of package forest
//     proves nothing either, since it depends on the accesses of other transactions.
//
// Since accesses are left out, the values of reads aren't known: so method View uses the proof by
// conflicts. A failed attempt is a step without effect, and a successful TryLock is a step that
// succeeds.
//
// # Alarms: the greatest order
//
// The schedule of a potential violation must be possible for the program, so every order counts
// that may be forced. The order is that of package reorder. Operations on all objects together keep
// their order. A lock that a Cond waits with, or whose operations are not all recorded, is such an
// object. A fixed step comes after all that was before it. The steps of a schedule are made one by
// one, with the steps that package forest leaves out, and the alarm's transaction must close the
// first cycle. Pieces of the trace are searched one by one. Lock order is no conflict here. If a
// variable was written before its first read, a schedule reads it after that write, too: before the
// write, its reader would not know the variable.
//
// # Costs
//
// Those of package forest. An access is taken twice. A piece has maxPiece steps in memory.
package proof
