// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package checkact finds code that checks and then acts: a transaction that is not marked as one.
//
// Input: the typed syntax of one package, and the specifications of the types whose methods it
// calls. Output: pairs of positions, and diagnostics for go vet -checkact. Whether a pair does harm
// is seen when it runs.
//
// # Terms
//
//	check      a call of an observer, or a read of a variable under a lock
//	act        a later call of a mutator, or a write, that depends on the check
//	pair       a check and its act, on one object or variable
//	section    the instructions between a lock and its unlock
//	helper     a function of the package whose only effect is one section; see helper.go
//
// The files, from the ground up:
//
//	build.go               the SSA form, of package flow
//	locks.go               which locks are held
//	calls.go               pairs of calls
//	memory.go, helper.go   pairs of accesses to memory
//	lint.go                what is reported
//
// [Analyzer] is for any driver of go/analysis. All else serves commute's own build and vet tool: it
// is exported for those alone, and may change in any version.
//
// # Analyzer checkact
//
// checkact: find what is checked and then acted upon
//
// In a pair of calls, the check is a call of an observer, by its specification. The act is a later
// call of a mutator on the same object, by the same function. It depends on what the check has
// returned:
//
//	if _, ok := m.Load(key); !ok {
//		m.Store(key, value)
//	}
//
// In a pair of accesses to memory, a variable is read in one critical section of a lock, and
// written in a later one. What is written, or whether it is, depends on what was read:
//
//	b.mu.Lock()
//	was := b.balance
//	b.mu.Unlock()
//	b.mu.Lock()
//	b.balance = was + n
//	b.mu.Unlock()
//
// The read, and the write, may also be those of a method of the package that does no more under the
// lock: b.Set(b.Balance() + n).
//
// # Dependence
//
// The notions are those of program slicing (Ferrante, Ottenstein and Warren, The Program Dependence
// Graph and Its Use in Optimization, TOPLAS 1987, section 3.1). An act depends on a check by data,
// if an argument is computed from a result of the check. It depends by control, if it depends on a
// branch whose condition is. This is computed on the SSA form of each function.
//
// A branch controls what can be reached from it without going round a loop. So the next round of a
// loop doesn't depend on a branch that could have left the loop in this one. But if a loop is left
// only when a check says so, what comes after it depends on the check.
//
// An act may depend on several checks. A check that is always followed by another one before the
// act does not count: double-checked locking is fine, if the second check alone would do. Nor does
// a check that is always followed by another act, or write, of the function itself. That one may
// have claimed what was checked, and the later act goes with the claim.
//
// # What is reported
//
// Pairs of calls between which another goroutine can come. The object must be a package-level
// variable, or behind a parameter. No lock is held at both, by the function or by all that call it.
// Tests are left out, and calls with //commute:ignore. The report names a method that does both;
// without such a method there is no report. Types of other packages are those with a specification
// that comes with commute.
//
// # What is not found
//
// Checks by arbiters: the goroutine that wins an arbitration may go on alone. Acts that are
// deferred, in another goroutine, or in a function literal other than the callback of the check.
// Pairs with keys that are computed twice by a call. Calls such as t.Fatal are functions like
// others: that they don't return is not known. In memory, the contents of maps, where two keys are
// two variables; and variables behind a pointer that two expressions denote.
package checkact
