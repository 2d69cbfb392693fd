// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package reduction says of functions that are marked as atomic whether they can be reduced to one
// step, or which step is in the way.
//
// Input: the typed syntax of a package, with marks, and facts about the functions of the packages
// that it imports. Output: diagnostics for go vet -reduction.
//
// # Terms
//
//	step          an access to memory, or an operation that synchronizes
//	right-mover   a step that commutes with what another goroutine does next: taking a lock
//	left-mover    one that commutes with what another did before: letting a lock go
//	both-mover    an access that a lock guards, or to what is never written
//	non-mover     an atomic operation, an operation on a channel, an access without the lock
//	pattern       right-movers, at most one non-mover, left-movers; both-movers anywhere
//	to commit     of a step: to be the first one that is no right-mover
//
// # Sources
//
// Lipton, Reduction: A Method of Proving Properties of Parallel Programs, CACM 1975. Flanagan and
// Qadeer, A Type and Effect System for Atomicity, PLDI 2003.
//
// [Analyzer] is for any driver of go/analysis.
//
// # Analyzer reduction
//
// reduction: say what breaks a function that is marked as atomic
//
// If each path through a function has the pattern, then whatever other goroutines do, there is an
// order with the same results in which nothing comes between its steps. This is a proof that it is
// atomic. If a path doesn't have it, the function may be atomic for another reason, but something
// can come between:
//
//	//atomic
//	func (a *Account) Double() {
//		n := a.Get() // takes the lock, and lets it go
//		a.Add(n)     // takes it again
//	}
//
// A lock guards a variable if it is held, or one of the same field is, at each access in the
// package, but for those by who has made the object. What functions of other packages do is known
// by facts, if they stand in a module. Other calls are not known: nothing is reported because of
// them, and nothing is proven.
//
// -reduction.all also reports what is proven, and what is not known.
package reduction
