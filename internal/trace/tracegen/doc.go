// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tracegen makes traces for tests of the checkers, and gives the right verdicts for them by
// the definitions.
//
// Input: a seed, the bytes of a fuzz test, or a number of events. Output: well-formed streams
// (package event), small random ones of every kind of event ([Random], [Decode]), or long
// serializable ones for measuring ([Shapes]). An [Oracle] has the transaction graph of a trace,
// [HappensBefore] the order of its events, both by definition and without regard to speed.
//
// # Terms
//
//	oracle     a slow checker that follows the definition
//	witness    what AeroDrome's definition 1 asks for to declare a violation
//	race       two events that conflict and are not ordered by happens-before
//	shape      the sizes and proportions of a random trace; of long ones see package generate
package tracegen
