// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bracket writes the code that tells the engine where transactions begin and end.
//
// Input: the parsed files of one package, and the marks of package transaction. Output: edits, and
// one file to add.
//
// A function begins its transaction first and defers its end first, so that all else that it does,
// its other deferred calls included, lies between, and the end is reached by return, panic and
// runtime.Goexit alike. A block begins when it is entered, and ends where it is left: at its end,
// and before a break, continue, goto or return that leaves it. A return ends it when the results
// are computed, before the deferred calls of the function. For panics the function has one deferred
// end for each block, which does nothing where the block has ended.
//
// All is inserted in the lines that are there, and comments give what follows on a line its column
// back.
package bracket
