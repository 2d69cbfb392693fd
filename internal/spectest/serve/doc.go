// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package serve is the half of commute spec test that runs inside of the user's program. It is
// never linked into commute. Its files, but for this one, are compiled into the package whose types
// are tested. Generated code makes objects and calls methods (see [commuteTable]).
//
// Input: requests in frames. Output: an answer to each. A frame is a length of 4 bytes, little
// endian, then a letter and its data:
//
//	B  cases              answer R: a byte of flags for each
//	S  cases              answer R: for each, flags and the truths of conditions in either order
//	E  one case           answer X: in JSON, what differs
//	M  nothing            answer X: in JSON, the methods with random results, and early ends
//	   any of these       answer W: a call does not return; the program then ends
//
// A case is a pair (2 bytes), two lists of calls (their number is a byte), and the arguments of the
// pair's two calls. The first list builds the state, and the second one looks at the object
// afterwards. A call is a method (1 byte) and, for each parameter, the index of its value.
//
// A method may return lists in random order, or random results. That is learned by running a case
// several times. Only what differs between the orders in all of these runs counts.
//
// Every name begins with commute, since it must not clash with those of the user's package.
package serve
