// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package compiled

import "sync/atomic"

// A Transaction is one run of marked code, a variable of the function that runs it. What is in it
// is the engine's.
type Transaction struct {
	State [4]uintptr
}

// An AtomicCode is code that is marked as atomic.
type AtomicCode struct {
	Name string // of the function
	Pos  string // file:line
	// ValueIndependent is whether it makes the same accesses whatever it reads from variables.
	ValueIndependent bool
}

// An Inferred is a function that nobody has marked and that is a transaction all the same, for what
// it writes in a later critical section depends on what it reads in an earlier one.
type Inferred struct {
	Code  AtomicCode
	Pairs []Pair
	Sides [KeptSides]atomic.Uint64 // the engine's: what it has found out of sites
}

// KeptSides is how many sites the engine remembers of an [Inferred].
const KeptSides = 64

// A Pair is where such a function reads and writes. If it does so in a helper, By is where it calls
// that, and no line if not.
type Pair struct {
	Read, ReadBy   Line
	Write, WriteBy Line
}

// A Line of a file, as the compiler records it.
type Line struct {
	File   string
	Number int
}
