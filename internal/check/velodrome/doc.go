// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package velodrome keeps the transaction graph and finds its cycles: Flanagan, Freund and Yi,
// "Velodrome: A Sound and Complete Dynamic Atomicity Checker for Multithreaded Programs" (PLDI
// 2008), the baseline of Mathur and Viswanathan (ASPLOS 2020), section 5.1. It is slower than
// package frontier, which gives the same verdict at the same event; but it tells the cycle.
//
// Input: a stream of events (package event). Output: each running marked transaction that reaches a
// transaction of another thread in which one of its events has a direct predecessor, once, at that
// event, with a shortest way round through the edge between the two ([Checker.Cycle]). The edges
// that close cycles are drawn like others.
//
// # Garbage
//
// A finished transaction gets no new incoming edge. One that has none is in no cycle and goes, and
// its outgoing edges with it. Cycles that were found keep their transactions from going this way;
// from then on, what no running marked transaction reaches goes whenever the graph has doubled.
//
// # Unary transactions
//
// A unary transaction without edges from any transaction of the graph would go at once, and isn't
// made. One that has none but that from its thread's previous transaction is added to that one:
// this one is finished, so a path that comes in has come in before the event, and may leave from
// the event. When a cycle is told, the two are told apart again.
package velodrome
