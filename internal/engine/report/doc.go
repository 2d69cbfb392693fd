// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package report has findings as data, and writes them as text.
//
// Input: a race of calls, a data race, or a cycle of transactions, with the sites and stacks of its
// events. Output: the text of its report in a [text.Buffer]. It says what happened, where, on which
// object or memory, what can go wrong, how sure that is, and how to prevent it.
//
// A report begins with what a reader asks first: what happened in which order, the lines of the
// source, what can go wrong, how sure that is, how to mend it and how to keep it silent. Behind
// that come the object, the stacks, and the formula of the specification.
//
// The reports of data races have the shape of the Go race detector's, so that tools that read those
// can read these.
//
// # Terms
//
//	finding       all races between two places of the code on one declaration
//	check, act    a call, and a later one that depends on what the first returned
//	violation     a third call that breaks a check and act: observed, predicted, or a race
//	symmetric     of a violation: the third call is itself such a check
//	effect        what can go wrong; package term has the words
//	cycle         the edges that show that a transaction is not serializable
//	fix           what would have prevented a violation, as far as its cycle tells
//	location      which variable or block of the heap an address is in
//	extent        from the first to the last place of a transaction that a cycle has
//
// # Floor
//
// The package stands on packages stack, source and tests. Package finding stands on it.
package report
