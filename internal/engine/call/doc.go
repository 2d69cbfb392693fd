// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package call follows the calls of specified methods, as instrumented code announces them.
//
// Input: the begin and end of each call, with its arguments and results, and its callbacks into the
// program. Output: the calls as actions for package commrace, which decides whether two of them
// race or break a check and act. What that finds goes to package finding. The package also decides
// what synchronization is a call's own: all between begin and end, but for callbacks.
//
// The check is that of Dimitrov et al., "Commutativity Race Detection" (PLDI 2014), section 5; see
// package commrace.
//
// # Terms
//
//	caller      a goroutine's part in calls of specified methods
//	object      the receiver of a call, in the shadow of package sync
//	open type   a type whose methods hide no synchronization: it orders the program as well
//	callback    a call of one of the program's functions by a specified method
//	generation  counts the changes of an object; a goroutine that has joined it is up to date
//	worker      a goroutine that was started in a call that is under way
//	sink        what package commrace calls back for: [Caller] is its commrace.Sink
//
// # The life of a call
//
// Begin takes the object's lock once, to note what the call may take effect after. End captures the
// arguments and the call stack, and has package commrace compare the call with earlier ones.
// Observe is both in one, for an observer with one key at most.
//
// # Floor
//
// The package stands on package txn: [Caller] embeds [txn.Transactor]. Package access embeds
// [Caller].
package call
