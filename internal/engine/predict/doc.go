// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package predict finds, while a program runs, interleavings that have not happened and could have, in which a transaction is
// not serializable: another goroutine's access comes between two accesses of the transaction to the same bytes, and conflicts
// with both.
//
// Input: what goroutines do, as calls on [Thread]: locks and unlocks, all other synchronization, transactions, and of
// accesses to memory what package datarace knows of them. Output: a [Prediction], the three accesses.
//
// # Rule
//
// A transaction of thread A accesses x, first, lets all its locks go, and takes some again; then it accesses x a second time.
// The cut is right before it takes those locks: nobody is kept out by A there. Later, another thread B makes an access, other,
// that conflicts with both. The witness is the trace so far, as it was observed, without what depends on what A did after the
// cut; and then A goes on, to second. What depends on that is closed under
//
//   - the order in each thread, and go statements;
//   - reads: who reads what was written in a part that is left out;
//   - all synchronization other than by mutexes: channels, WaitGroups, atomic variables, timers, calls of specified methods, and
//     the mutexes of packages that are not watched, for what is kept under those is not seen;
//   - failed attempts, as TryLock's: they depend on everything, for it's not known on what;
//   - who takes a lock after another was left inside: its acquire is kept, and its release is not. A critical section that is left
//     out as a whole keeps nobody out.
//
// The witness is a correct reordering in the sense of Mathur, Pavlogiannis and Viswanathan, Optimal Prediction of
// Synchronization-Preserving Races (POPL 2021), section 3: each thread does a prefix of what it did, in the same order; each
// read reads from the same write, for that is kept, and what came between them in the trace is not more; and of each lock the
// kept sections follow each other, for an acquire that is kept comes after a release that is kept. As the kept events are in
// the order of the trace, all of its order of kept events is preserved.
//
// A's part from the cut to second must also be as before. There it only acquires locks and accesses memory, and lets
// nothing go. So what it needs is that those locks are free when it goes on: nobody is left inside, and nobody is inside at
// that moment (if B is, the prediction waits for B to let go); and that what it read there is not written by who is
// kept. Second is not to have been read, or written, before in the section. A read that is followed by a write there is taken for
// a check of it, so that two reads count only if no write follows.
//
// Other is the last event of B that the witness needs. If it's a read it may read another value than it did; then it's
// only assumed that B lets its locks go, and that must be all that A waits for (see realm.intrudes).
//
// A transaction that is straight makes the same accesses whatever it reads (see package straight). For that, B's reads
// in its transaction need not be what they were: it depends softly on what was written, and fully from its end on.
//
// # Ghosts
//
// Each pair of accesses makes a ghost, one of 32 bits. Each thread has a mask of ghosts that its present depends on, and for each ghost
// there are the threads' slots with the epochs from which on they depend, for reads. Objects have a mask that releases add to, and locks one
// of those who are left inside. A bit is used again for another ghost; what is known of the old one is void, by a serial.
//
// All that is bounded, forgotten or not known makes for fewer predictions. No ghost is born of a transaction with one critical section, and
// as long as there is none, nothing is done but to count the locks that each goroutine has.
//
// The test compares the predictions with all interleavings of random traces.
package predict
