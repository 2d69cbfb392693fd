// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package replay runs the engine's checks of calls (package commrace) and of transactions (package
// atomicity) over a recorded trace, with the engine's clocks (package vclock). It makes the same
// moves as package runtime makes in the program that was recorded, in the order in which the trace
// has them. So it finds the races that the run found, with semantic exceptions, and says of each
// whether it breaks a check and act. Of transactions it finds the cycles that the run found, and it
// predicts what the run predicted (package predict).
//
// Input: the events of a trace and, beside them, the steps of calls ([trace.CallStep]). Output:
// each race of two calls, as a [Race], or each transaction that is not serializable, as a
// [Violation]; or each that could have been interfered with, as a [Prediction].
//
// # Terms
//
//	call step  a step of a call that is no event: its beginning, its end, what it was given
//	hidden     what happens inside of a call: it orders nothing for others' insides
//	helper     a goroutine that a call has started, and that works for the call until it ends
//	site       a return address: where a call was made
//	actor      a thread's part in the check of transactions
//	past       an event that a later one may conflict with
//	cell       the past events at a variable, a lock, or an access point of an object
//	planner    a thread's part in the prediction
//	silent     of an event: it conflicts with nothing, as the program didn't make it itself
//
// # Transactions
//
// The program that was recorded found conflicts in the shadow of its memory, in the history of each
// address of synchronization, and in the check of calls. Here the check of calls is the same. The
// other two are cells, which forget no event that a transaction may reach. Conflicts go to one
// graph, in the order of the trace. A cycle is told at the end of its transaction.
//
// An event matters only if a running transaction reaches it. So nothing is done before the first
// transaction begins, and nothing but what calls need while none runs.
//
// # Predictions
//
// A prediction has to know which synchronization is by mutexes, which attempts failed, and which
// goroutines met. The trace tells that right before the events that it is about. Where memory is
// known by addresses in the program, variables are here, and each access is to a whole variable. A
// variable that is split, or whose parts are accessed by atomic operations, is the subject of fewer
// predictions.
//
// # Files
//
//	replay.go        the steps in their order; threads and objects
//	order.go         synchronization, as clocks
//	call.go          calls begin, end, and call back
//	sink.go          what the check of calls asks about the program
//	transactions.go  begins and ends of transactions, and what their events conflict with
//	cell.go          past events
//	conflict.go      conflicts of calls
//	cycle.go         cycles of the graph in the trace's words
//	predictions.go   the prediction is told of locks, and of what else orders threads
//	predicted.go     what it is told of accesses; predictions in the trace's words
package replay
