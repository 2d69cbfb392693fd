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
//	slice      the values and branches of a function that depend on one value: a forward slice
//	term       a value as an expression; values with equal terms are equal, under conditions
//	leaf       a value that no term describes further, such as the result of a call
//	address    the term of a pointer; it stands for the variable that it points to
//	control    a branch controls a block if it decides whether the block is reached
//	section    the instructions between a lock and its unlock
//	helper     a function of the package whose only effect is one section; see helper.go
//
// The files, from the ground up: build.go the SSA form; graph.go control flow; term.go terms;
// depend.go slices; locks.go which locks are held; calls.go pairs of calls; memory.go and helper.go
// pairs of accesses; lint.go what is reported.
//
// [Analyzer] is for any driver of go/analysis. All else serves commute's own build and vet tool: it
// is exported for those alone, and may change in any version.
//
// # Analyzer checkact
//
// checkact: find what is checked and then acted upon
//
// In a pair of calls, the check is a call of a method that is an observer by its specification, and
// the act is a later call, on the same object and by the same function, of a mutator, which depends
// on what the check has returned:
//
//	if _, ok := m.Load(key); !ok {
//		m.Store(key, value)
//	}
//
// In a pair of accesses to memory, a variable is read in one critical section of a lock, and
// written in a later one, and what is written, or whether it is, depends on what was read:
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
// The notions are those of program slicing: an act depends on a check by data, if an argument is
// computed from a result of the check, or by control, if it depends on a branch whose condition is
// (Ferrante, Ottenstein and Warren, The Program Dependence Graph and Its Use in Optimization,
// TOPLAS 1987, section 3.1). It's worked out on the SSA form of each function. A branch decides
// about what can be reached from it without going round a loop: that a loop has not been left does
// not make its next round depend on this one. What comes after a loop that is only left when a
// check says so depends on the check.
//
// Of several checks that an act depends on, one that is always followed by another before the act
// does not count: to look again under a lock (double-checked locking) is fine, if the second look
// alone would do. Nor does one that is always followed by another act, or write, of the function
// itself: it may have claimed what it checked, and what it does later is the claim's business.
//
// # What is reported
//
// Pairs of calls between which another goroutine can come: on an object that is a package-level
// variable, or behind a parameter; with no lock held at both, by the function or by all that call
// it; and not in tests, nor with //commute:ignore. The report names a method that does both, and
// there is none without such a method. Types of other packages are those with a specification that
// comes with commute.
//
// # What is not found
//
// Checks by arbiters: who has won an arbitration may go on alone. Acts that are deferred, or by
// another goroutine, or in a function literal, but for the callback of the check itself. Keys that
// are computed twice by a call. Pairs in functions that cannot return from a failed check as far as
// types tell (t.Fatal is a function like others). In memory, the contents of maps, for two keys are
// two variables there, and what is behind a pointer that two expressions denote.
package checkact
