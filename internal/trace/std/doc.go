// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package std reads and writes the STD format of RAPID, a text with one event on each line:
//
//	T0|begin|1
//	T0|acq(L1)|2
//	T0|r(V1)|12
//	T0|rel(L1)|13
//	T0|end|14
//
// A line is a thread, an operation and a location, separated by bars. The operations are
// r(variable), w(variable), acq(lock), rel(lock), fork(thread) and join(thread), and begin and end,
// or any word that starts with one of these. The rest of such a word, its label, is ignored; a
// [Writer] writes none.
//
// Names are not empty and have no white space and no bar in them, except for blanks within the name
// of a thread. Threads, locks and variables are named apart: a lock and a variable may have the
// same name. The location is a decimal number of 32 bits with a sign. Lines end with \n or \r\n,
// the last one need not. There are no empty lines and no comments.
//
// Input and output: such texts, and events (package trace), whose positions are the locations. The
// memory of a [Reader] grows with the names only. STD lacks some kinds of events: see [Writer].
//
// # Terms
//
//	location   the number at the end of a line; the position of the event
//	label      the word behind begin or end, which is ignored
//	word       eight bytes of the text, loaded at once
//
// # Speed
//
// Traces in STD may have billions of lines, so [Reader] is made for speed. It copies no line,
// allocates nothing for one, and makes most decisions by comparing eight bytes. A line that it
// refuses is parsed again, slowly, to explain the error (diagnose.go).
package std
