// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package replay runs the engine's checks of calls (package commrace) and of transactions (package
// atomicity) over a recorded trace, with the engine's clocks (package vclock). It makes the same
// calls of the engine as package runtime made in the recorded program, in the order of the trace.
// So it finds the races that the run found, with semantic exceptions, and says for each whether it
// breaks a check and act. It also finds the cycles of transactions that the run found, and makes
// the run's predictions (package predict).
//
// Input: the events of a trace and, beside them, the steps of calls ([trace.CallStep]). Output:
// each race of two calls, as a [Race], or each transaction that is not serializable, as a
// [Violation]; or each that could have been interfered with, as a [Prediction].
//
// # Terms
//
//	call step  a step of a call that is no event: its begin, its end, its arguments and results
//	hidden     of an event inside of a call: it does not order events inside of other calls
//	helper     a goroutine that a call has started, and that works for the call until it ends
//	site       a return address: where a call was made
//	actor      a thread's part in the check of transactions
//	past       an event that a later one may conflict with
//	cell       the past events at a variable, a lock, or an access point of an object
//	planner    a thread's part in the prediction
//	silent     of an event: it conflicts with nothing, since the program didn't make it itself
//
// # Transactions
//
// The program that was recorded found conflicts in the shadow of its memory, in the history of each
// address of synchronization, and in the check of calls. Here the check of calls is the same. The
// other two are replaced by cells, which forget no event that a transaction may reach. Conflicts go
// to one graph, in the order of the trace. A cycle is reported at the end of its transaction.
//
// An event matters only if a running transaction reaches it. So nothing is done before the first
// transaction begins. While no transaction runs, only the work for calls is done.
//
// # Predictions
//
// A prediction has to know which synchronization is by mutexes, which attempts failed, and which
// goroutines met. The trace has this information right before the events in question. The program
// identifies memory by addresses; here there are variables, and each access is to a whole variable.
// If a variable is split, or its parts are accessed by atomic operations, there are fewer
// predictions about it.
//
// # Files
//
//	replay.go        the steps in their order; threads and objects
//	order.go         synchronization, as clocks
//	call.go          calls begin, end, and call back
//	sink.go          answers questions of the check of calls about the program
//	transactions.go  begins and ends of transactions, and the conflicts of their events
//	cell.go          past events
//	conflict.go      conflicts of calls
//	cycle.go         cycles of the graph in the trace's words
//	predictions.go   calls of the prediction for locks and other synchronization
//	predicted.go     calls of the prediction for accesses; predictions in the trace's words
package replay
