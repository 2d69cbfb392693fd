// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tracegen makes traces for tests of the checkers of conflict serializability, and says
// what is true of them.
//
// Input: a seed, the bytes of a fuzz test, or a number of events. Output: well-formed streams
// (package event), small random ones of every kind of event ([Random], [Decode]), or long
// serializable ones for measuring ([Shapes]). An [Oracle] has the transaction graph of a trace by
// its definition.
package tracegen
