// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package discount finds what decides nothing in a transaction, and writes the code that tells the
// engine of it. The engine then doesn't count it as a conflict of the transaction.
//
// Input: a typed package. Output: edits, and one file to add.
//
// # Terms
//
//	look      an expression that reads what other goroutines may write, and has no effect
//	key       a text that stands for a look; looks with equal keys read the same variable
//	tainted   of a local variable: its value depends on a first look
//	leave     of an if statement: its body ends with a return, so what follows is not reached
//	counter   a variable that is added to, and read in no place where that decides anything
//
// # Looking again
//
// Double-checked locking looks, and looks again under a lock (or in a flight, or by LoadOrStore) if
// it has to act. Then the first look decides nothing but that there is a second one. Where the code
// goes on to the second look, its transaction begins anew. A function does so at a statement if:
//
//   - All statements before only look, take and release locks, and leave.
//   - What the first looks read is read again behind it, and a branch follows that, before any
//     effect.
//   - No tainted variable is used behind it, unless it is assigned anew first.
//
// The engine begins anew if the transaction had made no event when the function began (see
// txn.Transactor.Again).
//
// # Counters
//
// Additions to a counter commute with each other. Those that read it get a number that is out of
// date at once. So an addition makes no conflict, and neither does a critical section in which
// there are only additions. A variable is a counter if it is not exported, and each of its uses in
// the package is one of these:
//
//   - an addition whose result is not used: x.n++, x.n += k, x.n.Add(k), atomic.AddInt64(&x.n, k)
//   - a read in a composite literal, in an argument of package fmt or log, or in a test function
//
// If its value is returned by itself, another package may decide by it, as by a length.
package discount
