// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package forest proves transactions of a recorded trace to be atomic in all orders of its events
// that program order, forks, joins and locks allow. For those that it can't prove it looks for an
// order in which they are not. The values that reads saw, and the order in which locks were taken,
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
//	stretch      what a thread does between two steps that make must-order
//	must-order   program order, fork and join
//	concurrent   of two events: neither comes before the other in must-order
//	section      of a lock: from where it is taken to where it is let go, or the unit's bounds
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
// Where the first condition fails, consider a cycle of conflicts in some run. If each transaction
// on it could be given a point in its in-node and a later one, or the same, in its out-node, then
// the points would be in cyclic order of time. So some transaction leaves the cycle by a node that
// is wholly before the node by which it is entered: the second condition looks for that, by
// conflicts in either direction and by must-order forward. The paper's theorem 4.3 leaves
// must-order out, and is wrong if a thread has two units; [Printed] has it as printed, for
// experiments only.
//
// Of two accesses that hold several common locks, one lock is chosen, by the set of common locks
// alone: that both sides take the same one is what the proof needs. It is the outermost one where
// locks are taken in one order.
//
// # Views
//
// In the view forest a read and a write are joined if the read can see the write; two writes, if
// one read can see both, or if they are the last ones in their units (figure 5). [View] asks for
// these of the transaction that it judges, and for all conflicts of others, which is on the safe
// side. Theorem 4.4 fails if an access outside of transactions holds a lock: then the conflict
// forest decides. The schedule that an alarm has is one in which a read sees what it sees in no
// order of whole transactions, or a last write is another.
//
// # What is kept
//
// Of each unit, set of held sections, variable, kind and stretch the first two accesses (section
// 7.2 of the paper). Of equal units of a thread in one stretch the first and the last: what one of
// them between is entered by, the first is entered by, and what it leads to, the last leads to. For
// the same reason the first and the last access outside of transactions are kept of each thread,
// variable, kind, set of locks and stretch. Conflicts are never listed: a group stands for them.
//
// # Costs
//
// An event is O(1). The first condition takes, for an access, the number of groups of its variable,
// and of threads where fork and join order them. The second one visits each kept unit at most once
// for a transaction, within a budget. Memory goes with what is kept.
//
// A transaction that is on a cycle is interleaved with one other unit first: that is cheap, and
// finds nearly all. All searches of a trace share a budget. When it is used up, the transactions
// that are left are unknown.
package forest
