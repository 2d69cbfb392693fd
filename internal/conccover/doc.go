// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package conccover reads, merges and shows profiles of concurrency coverage: which pairs of
// operations on one object or lock ran, and how.
//
// Input: profiles, as programs with option conc_cover write them (package coverage of the engine).
// Output: a merged profile, a table, a list of pairs that are not covered, a page of HTML with the
// source, and the percentage of covered pairs.
//
// # Terms
//
//	operation  a call of a method at a place, or an acquire of a lock there
//	object     a package-level variable or a field, which is a lock or has a specified type
//	pair       two operations on one object that may not commute
//	state      how a pair ran: see [State]
//	covered    of a pair of calls: unordered; of two critical sections: in both orders
//
// # The file
//
// A profile is a text: a header line, and lines of three kinds. One space separates words; inside a
// word a space is %20. Lines are sorted, and each operation, pair or type has one line. But [Parse]
// accepts any order, and joins lines about the same subject.
//
//	commute concurrency 1
//	op call sync.Map example.com/m.Server.users Load example.com/m/m.go:19
//	pair call sync.Map example.com/m.Server.users Load example.com/m/m.go:19 Store … before
//	type sync.Map Load,Store Store,Store
//
// An op is an operation that ran: "call" or "lock", the type, the object, the method, the place:
// the import path, a slash, the file, a colon and the line. An object that no variable or field
// names is "-". A pair has two operations, each with its place, and a state. A type has the pairs
// of its methods that may not commute.
package conccover
