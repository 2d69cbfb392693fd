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
//	fix.go     fixes: fixstore.go those with a Store, fixdelete.go those with a Delete
//
// Pairs of accesses to memory under locks are those of package section.
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
// a check that is always followed by another act of the function itself. That one may have
// claimed what was checked, and the later act goes with the claim.
//
// # Other functions
//
// A function may check, or act, through others of its package: it calls get and put, and get calls
// Load. Get must always check, of an object and keys that its callers know, and return what depends
// on the check. Put must not look for itself. The caller must always check before it acts. Up to
// three functions may be between.
//
// # Keys
//
// Keys and objects may be computed twice by a call: m.Load(r.Key()), and then m.Store(r.Key(), v).
// Whether they were equal is seen in the run. In pairs through other functions they may be computed
// by getters only, such as r.GetKey().
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
// -checkact.level=likely, the default, leaves out acts that two goroutines may make as well as one:
// a Store of a constant, or of a value that is made of the key and the object alone, and has no
// identity; and a Delete if nothing but the presence of the key was asked for.
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
// Checks by arbiters: the goroutine that wins an arbitration may go on alone. Acts that are
// deferred, in another goroutine, or in a function literal other than the callback of the check.
// Checks and acts through an interface, a function value, or a function of another package. Calls
// such as t.Fatal are functions like others: that they don't return is not known.
package checkact
