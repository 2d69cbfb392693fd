// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package atomicity checks, while a program runs, whether its transactions (functions and blocks that are marked as
// atomic) are conflict-serializable: whether the run is equivalent to one in which each has happened without a break.
//
// Input: begins and ends of transactions, forks, and edges: that an event of one goroutine, known by the epoch at which it
// happened, conflicts with a later one of another. Output: transactions that are on a cycle, and the cycle, edge by edge.
// What conflicts is decided elsewhere (accesses to memory in package datarace, synchronization in package runtime). The
// notions are those of Flanagan, Freund and Yi (Velodrome) and of Mathur and Viswanathan, Atomicity Checking in Linear
// Time using Vector Clocks (ASPLOS 2020), sections 2 and 4.1.4: nested transactions belong to the outermost, and an event
// outside of any is a transaction of its own, a unary one.
//
// # The frontier
//
// An edge always points into what its goroutine does now. So a transaction that is over never gets another incoming
// edge, and a cycle is closed by an edge into one that is running. It's enough to know, for each running transaction A and
// each goroutine u, the first epoch of u that A reaches, directly or not: whether an edge from (u, j) into A closes a cycle
// is whether A's frontier for u is at j or before. Epochs take the place of numbers of transactions: if A reaches any
// event of a transaction, it reaches all of it, so the frontier has the transaction's first epoch, and all that u does
// later is reached by program order. When an edge (u, j) -> t is drawn, each running B that reaches (u, j) takes over the
// frontier of what runs in t, if that is a transaction; a unary event reaches nothing but itself and what its goroutine
// does later, which is given a new epoch, so that what it did before is not taken for reached.
//
// Only edges from events that some running transaction reaches can ever be part of a cycle, for a cycle needs a running
// transaction that reaches the source when the edge is drawn: the source's own, or one that leads to it. For each slot there
// is the least epoch that any running transaction reaches, and most edges are done with when they have been compared with that,
// without a lock; while no transaction runs, nothing is done at all. An edge costs O(k) for k running transactions, an
// edge that makes one of them reach another transaction O(k) more for that; memory is O(k^2) at most. It does not depend on the number of variables or on
// how many transactions there have been. Unlike AeroDrome's, the verdict doesn't wait for the end of any transaction.
//
// Package frontier is the same idea for recorded streams of events, and numbers transactions; here epochs are at hand, many
// goroutines call at once, and memory is not Go's. The tests compare the two.
//
// The edges that were drawn last are kept, so that the cycle can be shown; if some of it is not there any more the
// violation is counted, but can't be reported.
package atomicity
