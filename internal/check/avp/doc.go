// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package avp predicts violations of conflict serializability: it finds other orders in which the
// events of a trace could have happened, and in which a transaction is not serializable.
//
// Input: a stream of events (package event). Output: the transactions that are not serializable in
// some order of the trace's events, each with such an order ([Violation]); and the numbers of
// transactions by verdict ([Counts]).
//
// The paper is Sinha, Malik, Wang and Gupta, "Predictive Analysis for Detecting Serializability
// Violations through Trace Segmentation" (MEMOCODE 2011). Package reorder defines the class of
// orders, almost view-preserving interleavings, and says on which assumptions they are possible.
// Every reported order has passed that package's Validate, and package frontier has found the cycle
// in it.
//
// # What is searched
//
// The package searches cycles of transactions, by conflicts of data and by forks and joins. The
// order in which locks are taken is no conflict here; otherwise it would find all transactions with
// two sections of a lock.
//
// # How
//
// The trace is divided into windows. Each window begins in the middle of the previous one. The
// events before a window keep their order. A transaction belongs to the window in whose first half
// it begins. A window, with the transactions and locks that are open at its beginning, is judged by
// itself ([Window.Judge]). So several windows can be judged at a time, and on any machine. A
// transaction is judged in three steps:
//
//  1. Filters (filter.go) show that it is on no cycle in any order of the window. They are the
//     check of section III.C, with forks and joins counted, first on the window and then on the
//     trace atomicity segment of section III.A; and a check for locks that are held throughout.
//  2. The pattern (pattern.go) puts a part of one other thread between two of its steps. This takes
//     polynomial time, and finds nearly all violations.
//  3. The search (search.go) goes through all orders, with a budget of states.
//
// Package reorder says what is different for traces that commute has recorded. There, a
// transaction's second read of a variable, before it writes under the same lock, is no conflict: by
// this read the transaction checks that the value is still the same.
//
// So the verdict of a transaction is one of three: found, none, gave up. "None" means that no order
// of the window has a cycle with it.
//
// # Terms
//
//	cycle      a cycle of transactions in an order, through the transaction that is judged
//	node       a step of a transaction that conflicts with one of another thread
//	candidate  a step of a transaction, and a step of another thread that conflicts with it
//	state      what the search needs to know about the steps made so far: it visits each state once
//	witness    an order that shows a violation, the shortest that was found
package avp
