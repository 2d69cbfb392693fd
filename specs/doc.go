// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package specs has the specifications that come with commute, for concurrent types of the standard
// library and of well-known modules. They are ECL files that are embedded here, by import path
// (sync/map.ecl). The files of modules say for which versions they were written and tested.
//
// Input: an import path. Output: the parsed specs of its types, ready for ecl.Compile, whatever the
// version that a program is built with. A wrong formula (section 4, definition 4.2) makes a
// detector miss races or report false ones, so every spec is tested against the real type. The spec
// of sync.Map is tested here, over all small states and arguments, and the others by commute spec
// test. For ristretto, whose calls take effect too late for that, testdata/shipped has tests with
// known verdicts.
//
// # Not exact
//
// A formula is too strict if some calls commute though it says no. Lines "Not exact, by WORD: A, B"
// name the pairs for which such calls are known. A test refuses other such pairs. The word says
// what decides whether the calls commute; the results don't always show it:
//
//	keys      the keys that existed: a Clear may have removed other keys than that of the call
//	shown     the entries that a call shows: it may stop before the one that was changed
//	function  the result of a function of the caller for the value that it finds
//	values    the previous value: for some values, both orders leave the same state, or a later call
//	          can't tell
//	numbers   likewise, for numbers: a formula has no arithmetic over two calls
package specs
