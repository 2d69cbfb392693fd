// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package forest proves transactions of a recorded trace to be atomic in all orders of its events
// that program order, forks, joins and locks allow. For other transactions it searches for an order
// in which they are not atomic. The values that reads saw, and the order in which locks were taken,
// don't count.
//
// Input: the events of a stream whose locks are mutexes (package event). Output: how many
// transactions are proven, and a schedule for each that isn't atomic in it.
//
// The method is that of Wang and Stoller, "Accurate and Efficient Runtime Detection of Atomicity
// Errors in Concurrent Programs" (PPoPP 2006): sections 3 and 4.1 for [Conflict], 4.2 for [View],
// section 6.1 for [Reduction], and 6.2 for [Block].
//
// # Terms
//
//	unit         a marked transaction (the outermost one), or a single event outside of any
//	position     the place of an event in its unit
//	stretch      the steps of a thread between two steps that make must-order
//	must-order   program order, fork and join
//	concurrent   of two events: neither comes before the other in must-order
//	section      of a lock: from its acquire to its release, or to the unit's bounds
//	node         of an access for a conflicting concurrent access of another thread: the section
//	             of a lock that both hold, as an interval of positions; or else the access alone
//	out, in      a node by which a cycle of conflicts leaves a transaction, and comes back to it
//	group        the accesses of one variable, of one kind, by which the same locks are held
//
// # Why it is a proof
//
// Two conflicting accesses under a common lock have their whole sections in one order. If all nodes
// of a transaction have a common position, then all of it may be moved there: the first condition
// (theorem 4.1). The paper has trees of sections; intervals do the same, and sections that don't
// nest are allowed.
//
// Where the first condition fails, consider a cycle of conflicts in some run. Assume that each
// transaction on it has a point in its in-node, and a later or equal point in its out-node. Then
// the points would be in cyclic order of time. So for some transaction, the node by which the cycle
// leaves it is wholly before the node by which the cycle enters it. The second condition searches
// such a transaction, by conflicts in either direction and by must-order forward. The paper's
// theorem 4.3 leaves must-order out, and is wrong if a thread has two units. Method [Printed] is
// the theorem as printed, for experiments only.
//
// If two accesses hold several common locks, one lock is chosen, by the set of common locks alone:
// the proof needs that both sides choose the same lock. If locks are always taken in one order, it
// is the outermost one.
//
// # Views
//
// In the view forest a read and a write are joined if the read can see the write; two writes, if
// one read can see both, or if they are the last ones in their units (figure 5). Method [View] uses
// these edges for the transaction that it judges, and all conflicts for other transactions, which
// is on the safe side. Theorem 4.4 fails if an access outside of transactions holds a lock: then
// the conflict forest decides. In the schedule of an alarm, a read sees a write that it sees in no
// order of whole transactions, or another write is the last one.
//
// # What is kept
//
// For each unit, set of held sections, variable, kind and stretch, the checker keeps the first two
// accesses (section 7.2 of the paper). Of equal units of a thread in one stretch, it keeps the
// first and the last. A cycle that enters a unit between them may enter the first instead, and a
// cycle that leaves one may leave the last instead. For the same reason, it keeps the first and the
// last access outside of transactions for each thread, variable, kind, set of locks and stretch.
// Conflicts are never listed: a group stands for them.
//
// # Costs
//
// An event takes O(1). For an access, the first condition takes time in the number of groups of its
// variable, and of threads where fork and join order them. The second condition visits each kept
// unit at most once for a transaction, within a budget. Memory is proportional to the kept
// accesses.
//
// A transaction on a cycle is first interleaved with one other unit: this is cheap, and finds
// nearly all violations. All searches of a trace share a budget. When it is used up, the remaining
// transactions are unknown.
package forest
