// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package runtime is what watches a program from inside: it takes the events that Go's runtime and
// standard library announce to a race detector, keeps their happens-before with package vclock,
// checks the calls of specified types with package commrace, and reports.
//
// Input: events (the functions of hooks.go and calls.go) from the templates in
// internal/toolchain/patch/template, and the text that instrumented packages register. Output:
// reports on stderr, the number that testing fails tests by, the exit status.
//
// The package, and those of the engine that it imports, are compiled into Go's package runtime
// when a program is built by commute: so hooks are direct calls, alive from the first instruction
// on, and the program's own packages, the standard library included, can be watched whole. It must
// therefore import nothing but unsafe, sync/atomic's types and the engine's packages, and never
// allocate from Go's heap, block, or call back. Its functions run with preemption disabled.
//
// The package is not for import: what it exports is for the templates, and changes with them. In a
// program that is not built by commute, nothing calls it, and it finds nothing. Tests that speak to
// commute import package commutetest; what reads findings imports package report.
package runtime
