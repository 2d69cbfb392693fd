// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package explore decides which goroutine runs next, in a program that is built to have its
// schedules explored. One goroutine at a time has the token and runs.
//
// Input: what goroutines are about to do, and which of them can run; a policy and a seed. Output:
// at each decision, the goroutine that gets the token. The same input has the same output.
//
// The package knows nothing of Go's scheduler. The templates of package runtime call it, with one
// lock held, and make happen what it says.
//
// # Terms
//
//	token       what a goroutine under control needs to run; there is one
//	task        what is known of a goroutine under control
//	pending     of a task: it could run, and waits for the token
//	arrival     a task that was made ready by something outside of control, as by input
//	point       where the holder of the token is about to make a visible operation
//	decision    a choice among two tasks or more
//	candidate   a task that a decision may choose: the holder, if it can go on, then the pending
//	            ones in the order in which they became that
//	default     the choice that goes on with the holder, or takes the first that is pending
//	run         a test function, once, with a policy and a seed
//	ordinal     the number of an object, in the order in which a run first uses them
//	name        of a task: a hash of the path of go statements that led to it
package explore
