// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package checkact finds code that checks and then acts: a transaction that is not marked as one.
//
// Input: the typed syntax of one package, and the specifications of the types whose methods it
// calls. Output: pairs of positions, and diagnostics for go vet -checkact. The analysis does not
// decide whether a pair does harm: the run does.
//
// # Terms
//
//	check      a call of an observer
//	act        a later call of a mutator that depends on the check
//	pair       a check and its act, on one object
//
// The files, from the ground up:
//
//	build.go   the SSA form, of package flow
//	calls.go   pairs of calls
//	through.go the same through other functions of the package
//	locks.go   which locks are held
//	lint.go    what is reported
//	rank.go    what two goroutines may do as well as one
//	fix.go     fixes; fixstore.go has those with a Store, fixdelete.go those with a Delete
//
// Pairs of accesses to memory under locks are those of package section.
//
// [Analyzer] is for any driver of go/analysis. Everything else is exported only for commute's own
// build and vet tool, and may change in any version.
//
// # Analyzer checkact
//
// checkact: find a check and an act on one object that another goroutine can come between
//
// In a pair of calls, the check is a call of an observer, by its specification. The act is a later
// call of a mutator on the same object, by the same function. It depends on what the check has
// returned:
//
//	if _, ok := m.Load(key); !ok {
//		m.Store(key, value)
//	}
//
// # Dependence
//
// The notions are those of program slicing (Ferrante, Ottenstein and Warren, The Program Dependence
// Graph and Its Use in Optimization, TOPLAS 1987, section 3.1). An act depends on a check by data,
// if an argument is computed from a result of the check. It depends by control, if it depends on a
// branch whose condition is. This is computed on the SSA form of each function.
//
// A branch controls the code that can be reached from it without going round a loop. So the next
// iteration of a loop doesn't depend on a branch that could have left the loop in this one. But if
// only a check can end a loop, the code after the loop depends on the check.
//
// An act may depend on several checks. A check does not count if another check always follows it
// before the act: double-checked locking is right if the second check alone would do. A check does
// not count either if another act of the function itself always follows it. The earlier act may
// have claimed the object that was checked, and the later act belongs to the claim.
//
// # Other functions
//
// A function may check, or act, through others of its package: it calls get and put, and get calls
// Load. Get must check on every path, with an object and keys that its callers know, and return a
// value that depends on the check. Put must make no check of its own. The caller must check on
// every path to the act. Up to three functions may be in between.
//
// # Keys
//
// Keys and objects may be computed twice by a call: m.Load(r.Key()), and then m.Store(r.Key(), v).
// The run shows whether they were equal. In pairs through other functions they may be computed by
// getters only, such as r.GetKey().
//
// # What is reported
//
// Pairs of calls, both by one function itself, between which another goroutine can come. The object
// must be a package-level variable, or behind a parameter. It and the keys are not computed twice
// by calls, but for getters. No lock is held at both, by the function or by all that call it.
// Tests are left out, and calls with //commute:ignore. The report names a method that does both;
// without such a method there is no report. Types of other packages are those with a specification
// that comes with commute.
//
// # Levels
//
// -checkact.level=likely, the default, leaves out acts that do no harm if two goroutines make them.
// One is a Store of a constant, or of a value without identity that is computed from the key and
// the object alone. Another is a Delete if the check asked only whether the key is present.
// -checkact.level=all reports these, too.
//
// # Fixes
//
// Of a sync.Map, some shapes have a fix that makes LoadOrStore, LoadAndDelete or CompareAndDelete
// of the two. There is one only if a single goroutine can't tell the difference: nothing between
// check and act can write to the map, and all results that are used stay the same. A value that is
// returned after the Store becomes the one that is in the map then. Comments are not touched.
//
// # What is not found
//
// Checks by arbiters, since only the goroutine that wins the arbitration acts. Acts that are
// deferred, in another goroutine, or in a function literal other than the callback of the check.
// Checks and acts through an interface, a function value, or a function of another package. The
// analysis doesn't know that calls such as t.Fatal never return.
package checkact
