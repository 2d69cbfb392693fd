// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package txn feeds the checks of transactions. Package atomicity finds those that are not
// serializable, and package predict those that another order of locks would break.
//
// Input: begins and ends of transactions, starts of goroutines, synchronization, and conflicts
// between calls of specified methods. Output: what these packages take: begins and ends, edges
// between conflicting events, and sections of locks. Cycles that they find go to package finding.
//
// The notions are those of package atomicity; what synchronization conflicts is decided here.
//
// # Terms
//
//	transactor             a goroutine's part in the checks of transactions
//	transaction            a run of code that is marked as atomic, from its begin to its end
//	edge                   two conflicting events, the first of which came first
//	sync event             a release, an acquire, or an atomic operation, by a watched package
//	sync conflict history  the last sync events at an address; package sync keeps it
//	site                   a number that stands for a call stack; see package datarace
//
// # Floor
//
// The package stands on package record: [Transactor] embeds [record.Recorded]. Package call embeds
// [Transactor].
package txn
