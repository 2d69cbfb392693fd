// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package finding decides which findings of the checks are reported, and for which tests.
//
// Input: races of calls, data races, cycles of transactions and predictions, from the goroutines
// that close them. Output: messages, whose texts package report makes later and package output
// writes. Then there is the summary at the end of the program, and tests that fail.
//
// # Terms
//
//	race        two calls that are not ordered and don't commute
//	pair        all races between two call stacks, on objects of one declaration
//	verdict     what becomes of the races of a pair
//	finding     all pairs of one check and act, or of two functions, on one declaration; what is
//	            reported
//	violation   the cycles of the transactions of marked code, between two lines of it
//	reported    a finding is reported in full for its first test, and for nine others
//	suppressed  a line of the suppressions file matches
//	excused     made where commutetest expects or ignores findings; see package tests
//	charged     a finding counts for a test, which then fails
//	message     a report that is to be made: a copy of all that its text depends on
//	outbox      the messages whose texts are not made yet
//
// # From a check to a report
//
// A check calls [Race], [DataRace], [Cycle] or [Predictions]. These take one lock, look the finding
// up, charge it, and post a message if it is new. [Wake] then wakes a goroutine of the runtime's,
// which makes the text without a lock. So the goroutine that finds something never waits.
//
// # Floor
//
// The package stands on package report. Packages txn, call and access, which run the checks, stand
// on this package.
package finding
