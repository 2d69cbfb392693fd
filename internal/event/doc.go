// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

// Package event is the vocabulary of events, and the stream of them that checkers take.
//
// A [Kind] says what an event does. The hooks in the standard library, the engine in the watched
// program, traces and checkers all have the same kinds. Each is a row of package table, from which
// kinds.go is generated. The files of
// the kinds are the only ones that are part of the engine.
//
// The rest is for checkers of a whole stream, such as packages aerodrome, velodrome and frontier.
// It says which events conflict, what a well-formed stream is ([Check]), and what a checker returns
// ([Checker]).
//
// Input: a trace of a concurrent program, in the order in which it was observed. The events are
// those of Mathur and Viswanathan, "Atomicity Checking in Linear Time using Vector Clocks" (ASPLOS
// 2020), section 2. Touches of access points are added (Dimitrov et al., "Commutativity Race
// Detection", PLDI 2014), and the merging releases of Go's synchronization hooks.
//
// # Terms
//
//	thread        a goroutine, or a timer of a recorded run
//	target        what an event is about: a variable, a lock, an object or a thread
//	lock          whatever is acquired and released: a mutex, a channel's slot, an atomic variable
//	acquire       an event that comes after what was released to the lock before
//	merging       of a release: it keeps the earlier releases of the lock
//	access point  a class of effects of calls on an object; calls touch points
//	subsume       of a touch: it stands for an earlier one in all that follows
//	transaction   what is meant to be atomic; see below
//	unary         of a transaction: one event that is in no marked one
//	predecessor   an event from which there is an edge to a later one
//
// # What conflicts
//
// An event conflicts with an earlier one if
//
//   - both are of one thread;
//   - both are a [Read] or a [Write] of one variable, and not both a Read;
//   - it is an [Acquire] of lock l, and the earlier a [Release] or [ReleaseMerge] of l that has not
//     been replaced. A Release of l replaces all earlier ones, a ReleaseMerge none. Nothing else
//     about locks conflicts: neither two acquires nor a release after an acquire. So the readers of
//     a lock, which ReleaseMerge one address and Acquire another, don't conflict with each other;
//   - the earlier is a [Fork] of its thread;
//   - it is a [Join] of the earlier one's thread. A thread without any event has nothing to
//     conflict with: fork and join of it make no order;
//   - both are a [Touch] of one object, of points that conflict in the [Relation]. A point that has
//     a key is one of a target that stands for the object and the key.
//
// Variables, locks, objects and threads are numbered apart, each from 0 and without great gaps:
// checkers have tables as long as the highest number.
//
// # Transactions
//
// The events of a thread from a [Begin] to its matching [End] are a marked transaction. Nested
// begins and ends don't count (section 4.1.4). Any event outside is a transaction by itself, a
// unary one. In the transaction graph there is an edge from one transaction to another if an event
// of the latter conflicts with an earlier one of the former. A trace is conflict serializable if
// its graph has no cycle. Each cycle has a marked transaction, since a unary one has all its
// incoming edges before any outgoing one.
//
// Checkers need not draw all edges: some follow from others. The direct predecessors of an event
// are
//
//   - of a Read, the last Write of the variable; of a Write, also each thread's last Read since;
//   - of an Acquire, the last Release of the lock, and each thread's last ReleaseMerge since;
//   - of a Touch of p, each thread's last Touch of each point q that conflicts with p, unless a
//     later Touch subsumed it ([Relation.Subsumes]);
//   - of the first event of a thread, its Fork; of a Join, the last event of the thread;
//
// and the event before it of the same thread. An edge always points into the transaction that is
// running when it is added. So a cycle is closed by an event of a running marked transaction, at
// one of its direct predecessors in other threads.
package event
