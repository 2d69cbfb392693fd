// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package predict finds, while a program runs, interleavings that have not happened and could have,
// in which a transaction is not serializable. In them another goroutine's access comes between two
// accesses of the transaction to the same bytes, and conflicts with both; or two accesses come
// there, of which one conflicts with an earlier and one with a later access of the transaction.
//
// Input: what goroutines do, as calls on [Predictor] and [Thread]: locks and unlocks, all other
// synchronization, transactions, and of memory accesses what package datarace knows of them.
// Output: a [Prediction], the three or four accesses.
//
// # Terms
//
//	A, B            the threads of the transaction and of the access that comes between
//	First, Second   the two accesses of A
//	Entry, Other    the accesses of B that conflict with First and with Second; they may be one
//	section         the critical section of Second: the transaction held no lock before it
//	cut             the point right before the section's first acquire
//	witness         the interleaving that shows that a prediction can happen
//	candidate       First, Second and a cut: a transaction that could have been interrupted
//	open            of a candidate: its First may be any access of A before the cut
//	depend          an event depends on a candidate if it needs what A did after the cut
//	kept, left out  of an event: in the witness, or not, as it depends on the candidate
//	eligible        of A in a section: it has only acquired locks and accessed memory there
//	value-independent  of a transaction: it makes the same accesses whatever it reads
//	owner           what a prediction is charged to, such as a test
//
// # Rule
//
// A transaction of thread A makes an access, First, releases all its locks, and acquires some
// again. Then it makes Second. At the cut, A keeps no thread out. Later, thread B makes an
// access, Other, that conflicts with both. The witness is the trace so far, as it was observed,
// without what depends on what A did after the cut; and then A goes on, to Second. Dependence is
// closed under
//
//   - the order in each thread, and go statements;
//   - reads: a read depends on the write that it reads from;
//   - all synchronization other than by mutexes: channels, WaitGroups, atomic variables, timers,
//     calls of specified methods, and the mutexes of packages that are not watched, for the
//     accesses that such a mutex guards are not seen;
//   - failed attempts, as TryLock's: they depend on everything, for it's not known on what;
//   - acquires of a lock that a thread is left inside of: its acquire is kept and its release is
//     left out. A critical section that is left out as a whole keeps no thread out.
//
// The witness is a correct reordering in the sense of Mathur, Pavlogiannis and Viswanathan, Optimal
// Prediction of Synchronization-Preserving Races (POPL 2021), section 3:
//
//   - Each thread does a prefix of what it did, in the same order.
//   - Each read reads from the same write, for that is kept, and no other write comes between them.
//   - The kept sections of each lock follow each other. Of two acquires that are kept, the release
//     of the first is kept, too.
//   - The kept events are in the order of the trace.
//
// A's part from the cut to Second must also be as before. An eligible thread only acquires locks
// and accesses memory there, and releases nothing. So it needs that those locks are free when it
// goes on, and that no kept event writes what it read there. If B holds one of the locks at
// Other, the prediction waits for B's release. Second must be the first access of the section to
// its bytes. A read that is followed by a write in the section is taken for a check before the
// write. So two reads count only if no write follows them.
//
// Other is the last event of B that the witness needs. If Other is a read, it may read another
// value than it did. Then it's only assumed that B releases its locks, and that must be all that
// A waits for (see registry.confirmRead).
//
// For a value-independent transaction (see package straight) B's reads in it need not be what they
// were. Until its end, only the values depend on what was written; from its end on, all does.
//
// # Two variables
//
// An open candidate has a Second to bytes that A has not accessed before the cut. Each access of B
// that conflicts with one of A from the begin of the transaction to the cut, and is kept, is an
// Entry. Then any later access of B that conflicts with Second is Other, by the order in B's
// thread. If B is in a transaction, Other may also come before Entry. So there is a cycle: from A
// to Entry, on to Other, and back to A. The witness is the same; it has all of B up to the later of
// the two.
//
// Second is also the section's first write of bytes that it has read: those who read the bytes
// conflict only with that. If the section reads again what A had read before it, and writes, then
// the open candidates whose Second is a read are dropped: that look may have made A begin anew.
//
// # Bounds
//
// There are at most 32 candidates. A thread has a set of those that its present depends on, in
// one word. A candidate has the slots and epochs from which on threads depend on it; reads ask
// for them. An object has a set that releases add to, and a lock has sets of the candidates that
// leave a thread inside.
//
// Of the candidates 8 to 16 are open. Each has the entries, and the accesses that could be Other,
// of 4 threads. Entries are found by what package datarace knows of A's accesses.
//
// Whatever is bounded, forgotten or not known makes for fewer predictions. A transaction with one
// critical section makes no candidate. As long as there is no candidate and no section, the calls
// do nothing but count the locks that each goroutine holds.
//
// The tests compare the predictions with all interleavings of random traces.
package predict
