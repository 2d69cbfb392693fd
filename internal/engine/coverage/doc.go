// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package coverage notes which pairs of operations the program has run on one object or lock, and
// how the two came to each other: by one goroutine, by two in a fixed order, or unordered.
//
// Input: calls of specified methods, each with the clock of its goroutine; and locks that the
// program has taken, with their places. Output: a profile, a text with a line for each operation
// and each pair ([Write]). It is for option conc_cover; without it nothing here is called.
//
// # Terms
//
//	operation  a method, or the way a lock is taken, at one place in the source
//	pair       two operations that were run on one object, and may not commute
//	state      what was seen of a pair: a set of the constants from Alone to Unordered
//	entry      the last time that a goroutine has run an operation on one object
//	repeat     an operation that can bring nothing new, as its goroutine has run it before
//
// # What is compared
//
// A call is compared with the entries of its object whose calls don't commute with it: their access
// points conflict (package commrace). An entry that the clock of the goroutine doesn't know is
// unordered with the call. Of a goroutine's calls of one operation the last one is enough: a clock
// that knows it knows the others. A lock orders its critical sections, so of these only the order
// counts.
//
// An object has up to [most] entries. Then a new one takes the place of another, and a pair may be
// missed. No pair is ever noted that was not run.
//
// # Costs
//
// A repeat changes nothing that another goroutine sees. Other operations take the object's lock,
// and look at its entries. Pairs and operations that are known are found without a lock.
//
// # Floor
//
// The package stands on packages source and option. Packages sync and call stand on it.
package coverage
