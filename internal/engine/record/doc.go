// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package record records what goroutines do in a trace, for an analysis after the run.
//
// Input: the events of goroutines, as the floors above and the templates have them. Output: steps
// and definitions for package recorder, which writes them to the file of option trace. Package
// trace/spec has the format.
//
// # Terms
//
//	recorded    a goroutine's part in the trace
//	step        one event of a goroutine in the trace
//	definition  what a number in a step stands for; it comes before the first such step
//	number      of a goroutine, test, type, method or place, counted from 1
//	position    the number of the program's place that an event is at
//	hidden      of a step: it is in a call of a specified method
//
// # Floor
//
// The package stands on package sync: [Recorded] embeds [sync.Thread]. Package txn embeds
// [Recorded].
package record
