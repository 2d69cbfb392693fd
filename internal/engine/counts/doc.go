// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package counts counts the watched calls, transactions and locks. Without the counts, a run
// without findings looks like one in which nothing was watched.
//
// Input: calls of specified methods by the program, the types that they are of, transactions, and
// locks that watched packages take. Output: the totals, as a line for option stats, and in a file.
//
// # Terms
//
//	tally      what one processor has counted
//	paired     runs of functions that check and act in two critical sections
//	std-owned  of an object: the standard library's own, whose calls are not the program's
//
// # The file
//
// A command that starts a process may ask for the counts: the variable COMMUTE_COUNTS names a
// folder. The process makes an empty file there when it starts, and fills it when it ends. The file
// of a process that was killed stays empty. Beside it, a file of that name and .reports has the
// reports that were made until then, if there is one.
//
// # Floor
//
// The package stands on packages source and text. Packages finding and sync stand on it.
package counts
