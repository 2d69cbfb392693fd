// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package replay runs the engine's check of calls (package commrace) over a recorded trace, with
// the engine's clocks (package vclock). It makes the same moves as package runtime makes in the
// program that was recorded, in the order in which the trace has them. So it finds the races that
// the run found, with semantic exceptions, and says of each whether it breaks a check and act.
//
// Input: the events of a trace and, beside them, the steps of calls ([trace.CallStep]). Output:
// each race of two calls, as a [Race].
//
// # Terms
//
//	call step  a step of a call that is no event: its beginning, its end, what it was given
//	hidden     what happens inside of a call: it orders nothing for others' insides
//	helper     a goroutine that a call has started, and that works for the call until it ends
//	site       a return address: where a call was made
//
// # Files
//
//	replay.go   the steps in their order; threads and objects
//	order.go    synchronization, as clocks
//	call.go     calls begin, end, and call back
//	sink.go     what the check of calls asks about the program
package replay
