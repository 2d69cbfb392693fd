// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package reduction checks by Lipton's reduction whether functions that are marked as atomic can be
// reduced to one step, and which step prevents it.
//
// Input: the typed syntax of a package, with marks, and facts about the functions of the packages
// that it imports. Output: diagnostics for go vet -reduction.
//
// # Terms
//
//	step          an access to memory, or an operation that synchronizes
//	right-mover   a step that commutes with what another goroutine does next: acquiring a lock
//	left-mover    a step that commutes with what another goroutine did before: releasing a lock
//	both-mover    an access that a lock guards, or a read of a variable that is never written
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
// A lock guards a variable if each access in the package holds that lock, or the lock in the same
// field of another object. Accesses by the function that has made the object don't count. Functions
// of other packages are known by facts, if those packages belong to a module. Other calls are
// unknown: the analyzer reports nothing because of them, and proves nothing.
//
// -reduction.all also reports the functions that are proven, and those with unknown calls.
package reduction
