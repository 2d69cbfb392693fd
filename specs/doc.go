// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package specs has the specifications of types that are not the user's own:
// what concurrent objects of the standard library and of well-known modules
// promise, in ECL files that are embedded here, by import path (sync/map.ecl).
// Those of modules say for which versions they were read and tested.
//
// Input: an import path. Output: the parsed specs of its types, ready for
// ecl.Compile, whatever the version that a program is built with. A formula of
// section 4 (definition 4.2) that is wrong makes a detector silent or loud for the
// wrong reasons, so every spec is tested against the real type: sync.Map here, over
// all small states and arguments, the others by commute spec test, or by judged tests
// in testdata/shipped where their calls take effect too late for that (ristretto).
//
// # Not exact
//
// A formula is stricter than the calls are if calls commute though it says no. The pairs for which
// such calls are known are named in lines "Not exact, by WORD: A, B". Others are refused by a test.
// The word says what decides, and is not told by the results in all cases:
//
//	keys      which keys there were: a Clear may have removed others than the one of the call
//	shown     what a call shows, of all entries: it may stop before the one that was changed
//	function  what a function of the caller makes of the value that it finds
//	values    which value there was: by some, both orders leave the same, or a later call
//	          can't tell
//	numbers   likewise, for numbers: a formula has no arithmetic over two calls
package specs
