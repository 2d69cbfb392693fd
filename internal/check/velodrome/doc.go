// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package velodrome keeps the transaction graph and finds its cycles: Flanagan, Freund and Yi,
// "Velodrome: A Sound and Complete Dynamic Atomicity Checker for Multithreaded Programs" (PLDI
// 2008), the baseline of Mathur and Viswanathan (ASPLOS 2020), section 5.1. It is slower than
// package frontier, which gives the same verdict at the same event. Unlike that package, it can
// show the cycle.
//
// Input: a stream of events (package event). Output: the marked transactions that are on a cycle,
// each with a shortest cycle ([Checker.Cycle]). A running marked transaction A is reported once, at
// its first event that has a direct predecessor in another thread's transaction that A reaches. The
// edge that closes a cycle is added to the graph like any other, so that later transactions are
// judged by the whole graph.
//
// # Terms
//
//	transaction   a marked one, from its begin to its end, or a unary one: a single event
//	node          a transaction of the graph, with the unary ones that were merged into it
//	edge          from a transaction to one of whose events it has a direct predecessor, or to
//	              the next transaction of its thread
//	tail, head    the two events of an edge; the tail comes first
//	running       begun and not ended; an edge always points into what is running
//	predecessor   an event to which a later one may get an edge (package event lists them)
//	cell          the predecessors that a variable, a lock or an access point has in store
//	dead          of a node: no longer in the graph, since it can be on no cycle to come
//
// # Garbage collection
//
// A finished transaction gets no new incoming edge. So one without incoming edges can be on no
// cycle. It is removed with its outgoing edges, which may leave others without incoming ones: this
// is the paper's reference counting. It never frees transactions on a cycle that was found. So from
// the first cycle on there is also a mark-and-sweep. Whenever the graph has doubled, it removes
// what no running marked transaction reaches.
//
// # Unary transactions
//
// The paper merges unary transactions; here this is done in two cases. A unary transaction without
// an edge from any transaction of the graph would be removed at once, and is not made. One whose
// only edge is that from its thread's previous transaction is merged into that one. This is right
// because the previous one is finished. Every path into it ends before the merged event, and so may
// leave from that event. [Checker.Cycle] separates the two again.
//
// # Costs
//
// Each direct predecessor in another thread costs a breadth-first search of the graph from the
// present transaction. As long as no cycle was found there is one exception. Nothing is done if the
// graph has an edge from the predecessor's transaction already, or from a later one of its thread.
package velodrome
