// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package splitlock reports functions that check in one critical section and act in a later one.
//
// Input: the typed syntax of one package. Output: diagnostics for go vet -splitlock, some with a
// fix that makes one critical section of the two. Package section finds the pairs; commute test
// watches the same ones. This analyzer runs nothing.
//
// # Terms
//
//	check   a read of a variable under a lock
//	act     a write of it in a later critical section of the same lock, which depends on the check
//	gap     the code between the unlock after the check and the lock before the act
//
// [Analyzer] is for any driver of go/analysis.
//
// # Analyzer splitlock
//
// splitlock: find a check in one critical section and its act in a later one
//
//	c.mu.Lock()
//	n := c.n
//	c.mu.Unlock()
//	c.mu.Lock()
//	c.n = n + 1 // another goroutine may have changed c.n meanwhile
//	c.mu.Unlock()
//
// Two operations of package sync/atomic are such a pair as well, a Load and a Store that depends
// on it: each is a section of its own.
//
// # What is not reported
//
// An act that repeats the check under its own lock, and one that comes after a claim: the section
// of the check has written the variable, so that other goroutines keep off. Functions whose callers
// hold another lock. Objects that the function has made. Code of other packages. Tests. Functions
// with //commute:notatomic, and pairs with //commute:ignore on the line of a call that is part of
// them: the unlock or the lock in between, or the call that checks or acts.
//
// # Levels
//
// Whether a pair does harm depends on what the program means. -splitlock.level=likely, the default,
// reports the kinds of pairs that often do harm: docs/vet.md has the measurements. With
// -splitlock.level=all all pairs are reported.
//
// # Fixes
//
// There is a fix if the two sections stand in one list of statements, or the later one is the body
// of an if statement there, and the gap certainly doesn't block, panic, return, take a lock or call
// an unknown function. The fix makes one section of the two and the gap. Of two atomic operations,
// a comparison and a Store become CompareAndSwap, and a Load and a Store of a sum become Add.
package splitlock
