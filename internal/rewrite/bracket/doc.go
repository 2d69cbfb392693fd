// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bracket writes the code that tells the engine where transactions begin and end.
//
// Input: the parsed files of one package, and the marks of package transaction. Output: edits, and
// one file to add.
//
// # Terms
//
//	mark      a function or block that is a transaction
//	exit      a statement that leaves a marked block: a return, break, continue or goto
//	iterator  a function that a range statement ranges over: its loop body is called by it
//	result    a result of the function, which a return assigns to
//
// # Where a transaction begins and ends
//
// A marked function begins its transaction first and defers its end first. So all else that it does
// lies between, its other deferred calls included. The end is reached by return, panic and
// runtime.Goexit alike.
//
// A marked block begins when it is entered, and ends where it is left: at its end, and before each
// exit. A return ends it when the results are computed, before the deferred calls of the function:
// these are outside of the block. For panics the function has one deferred end for each block,
// which does nothing where the block has ended.
//
// With a marked block, a method becomes this:
//
//	func (a *Account) Add(n int) (sum int) { var commute_t0 commute_Transaction; defer ...
//		{ commute_t0 = commute_Transaction{}; commute_atomicBegin(&commute_t0, &commute_a0);
//			a.mu.Lock()
//			defer a.mu.Unlock()
//			a.sum += n
//			{ sum = a.sum; commute_atomicEnd(&commute_t0); return sum }
//		}
//	}
//
// All is inserted in the lines that are there, so that positions in reports and errors stay.
// Comments of the form /*line :L:C*/ give what follows on a line its column back.
package bracket
