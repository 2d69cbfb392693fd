// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package atomicity checks, while a program runs, whether its transactions are
// conflict-serializable. Transactions are functions and blocks that are marked as atomic. The run
// must be equivalent to one in which each has happened without a break.
//
// Input: begins and ends of transactions, forks, and edges: an event of one goroutine, known by
// its epoch, conflicts with a later one of another. Output: transactions that are on a cycle, and
// the cycle, edge by edge. What conflicts is decided elsewhere: for memory accesses in package
// datarace, for synchronization in package runtime.
//
// The notions are those of Flanagan, Freund and Yi (Velodrome) and of Mathur and Viswanathan,
// Atomicity Checking in Linear Time using Vector Clocks (ASPLOS 2020), sections 2 and 4.1.4. Nested
// transactions belong to the outermost. An event outside of any is a transaction of its own, a
// unary one.
//
// # Terms
//
//	transaction   a run of code that is marked as atomic, from its begin to its end
//	unary event   an event outside of any transaction
//	edge          two conflicting events, the first of which came first
//	reach         a transaction reaches an event to which edges and program order lead from it
//	frontier      of a running transaction: for each slot, the first epoch that it reaches
//	closing edge  an edge into a running transaction from an event that the transaction reaches
//	cycle         the edges that show that a transaction is not serializable
//	clock change  the goroutine's events are known by epochs of another clock from then on
//
// # The frontier
//
// An edge always points into what its goroutine does now. So a transaction that is over never
// gets another incoming edge, and a cycle is closed by an edge into one that is running. It's
// enough to know, for each running transaction A and each goroutine u, the first epoch of u that
// A reaches. An edge from epoch (u, j) into A closes a cycle if that epoch is j or before.
//
// Epochs take the place of numbers of transactions. If A reaches any event of a transaction, it
// reaches all of it, so A's frontier has the transaction's first epoch. All that u does later is
// reached by program order. When an edge from (u, j) into t is added, each running transaction that
// reaches (u, j) is extended:
//
//   - by the begin and the frontier of the transaction that runs in t, if one does;
//   - or else by t's present epoch, for a unary event reaches only what its goroutine does later.
//     The goroutine moves to a new epoch first, so that what it did before is not taken for
//     reached.
//
// # Costs
//
// A cycle needs a running transaction that reaches the source of an edge when the edge is added:
// the source's own, or one that leads to it. For each slot there is the earliest epoch that any
// running transaction reaches. Most edges are compared with that, without a lock, and dropped.
// While no transaction runs, nothing is done at all.
//
// An edge costs O(k) for k running transactions; if one of them comes to reach another by it, O(k)
// more for that one. Memory is O(k^2) at most. It does not depend on the number of variables or of
// transactions so far. Unlike AeroDrome's, the verdict doesn't wait for the end of a transaction.
//
// Package frontier is the same idea for recorded streams of events, and numbers transactions. Here
// epochs are at hand, many goroutines call at once, and memory is not Go's. The tests compare the
// two.
//
// The edges that were added last are kept, so that a cycle can be shown. If a part of a cycle is no
// longer kept the violation is counted, and can't be reported.
package atomicity
