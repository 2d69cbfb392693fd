// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commutetest

// This file is what a plain build has. When commute compiles the package, it puts another file in
// the place of this one, in which the same functions belong to its engine: see
// internal/toolchain/toolexec. The line below tells a commute of another version that it can't.

// hooks: version 1

// enabled reports whether commute has replaced this file.
const enabled = false

// A transaction is where the engine keeps one that is running.
type transaction struct{}

// expect begins a scope in which a kind of finding is expected; 0 is none.
func expect(kind uint32) (scope uint32) { return 0 }

// ignore begins a scope in which nothing that is found counts; 0 is none.
func ignore() (scope uint32) { return 0 }

// leaveScope ends a scope, and reports whether what was expected was found.
func leaveScope(scope uint32) (found bool) { return false }

// atomicBegin begins a transaction that is a call of f.
func atomicBegin(t *transaction, f func()) {}

// atomicEnd ends it.
func atomicEnd(t *transaction) {}
