// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package instrument writes the code that reports calls of specified methods.
//
// Input: the parsed files of one package and the compiled tables (package ecl)
// of its specified types. Output: edits that rename each specified method
// (Store becomes commute_Store, its body untouched), and one added file with a
// wrapper of the old name, receiver, signature and doc for each. The wrapper
// brackets the original with commute_begin and a deferred commute_end and hands
// over keys, arguments, results and beta, computed here in Go code: at run time
// no formula is interpreted (section 6.2 of the paper, eta of an action).
//
// Shadow results come from the expression that the spec gives: in it, a call of
// one of the type's methods by its bare name is a call on the receiver, of the
// original. Where callers choose (Package.Twin), nothing is renamed, and the wrapper of
// Store is called Commute_Store. A method that calls recover, or counts stack frames, sees
// one more frame.
package instrument
