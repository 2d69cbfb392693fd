// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package serve is the half of commute spec test that runs inside the user's program. It is never
// linked into commute: its files, but for this one, are compiled into the package whose types are
// tested, together with generated code that makes objects and calls methods (see [commuteTable]).
//
// Input: cases in frames (a length of 4 bytes, little endian, then a letter and its data). B:
// cases; the answer is R and a byte of flags for each. E: one case; the answer is X and, in JSON,
// what differs. M: nothing; the answer is X and, in JSON, which methods have random results. W is
// the answer to any frame when a call does not return. Output: those answers.
//
// A case is a pair (2 bytes), two lists of calls (their number is a byte), of which the first
// builds the state and the second looks at what became of it, and the arguments of the pair's two
// calls; a call is a method (1 byte) and, for each parameter, the index of its value.
//
// Every name begins with commute, since it must not clash with those of the user's package.
package serve
