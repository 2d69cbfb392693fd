// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package compiled

// A Transaction is one run of marked code, a variable of the function that runs it. What is in it is
// the engine's.
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

// A Line of a file, as the compiler records it.
type Line struct {
	File   string
	Number int
}
