// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package avp predicts violations of conflict serializability: it finds other orders in which the
// events of a trace could have happened, and in which a transaction is not serializable.
//
// Input: a stream of events (package event). Output: transactions, each with an order of events of
// the trace that shows the violation ([Violation]); and how many transactions there were, and what
// became of them ([Counts]).
//
// The paper is Sinha, Malik, Wang and Gupta, "Predictive Analysis for Detecting Serializability
// Violations through Trace Segmentation" (MEMOCODE 2011). Package reorder has the class of orders,
// almost view-preserving interleavings, and what it rests on. Every order that is reported has
// passed its Validate, and package frontier has found the cycle.
//
// # What is looked for
//
// A cycle of transactions, by conflicts of data and by forks and joins. The order in which locks
// are taken is no conflict here, else all transactions with two sections of a lock would be found.
//
// # How
//
// The trace is looked at in windows, each of which begins in the middle of the one before. What was
// before a window stays as it was. A transaction belongs to the window in whose first half it
// begins. A window with what was open before it is all that it takes to judge it ([Window.Judge]),
// so several are judged at a time, and anywhere. Of each transaction:
//
//  1. Filters (filter.go) say that it is on no cycle in any order of the window: section III.C,
//     with forks and joins counted, first of all of the window, then of the trace atomicity segment
//     of section III.A; and locks that are held throughout.
//  2. The pattern (pattern.go) puts a part of one other thread between two steps of it. That takes
//     polynomial time, and finds nearly all that can be found.
//  3. The search (search.go) goes through all orders, with a budget of states.
//
// Of traces that commute has recorded, package reorder says what is different. A second read of a
// variable by a transaction, before it writes under the same lock, is no conflict there: it is how
// a transaction makes sure that what it has read is still so.
//
// So the verdict of a transaction is one of three: found, none, gave up. "None" means that no order
// of the window has a cycle with it.
//
// # Terms
//
//	cycle      one of transactions in an order, through the transaction that is looked at
//	node       a step of a transaction that conflicts with one of another thread
//	candidate  a step of a transaction, and a step of another thread that conflicts with it
//	state      what the search has to know of the steps that were made: it visits each once
//	witness    an order that shows a violation, as short as was found
package avp
