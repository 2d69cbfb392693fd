// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tests knows the tests that package testing runs, and what they expect to be found.
//
// Input: begins of tests, of subtests and of scopes, which package commutetest has. Output: which
// test answers for what a goroutine does, and whether a finding is excused.
//
// # Terms
//
//	test      a test, subtest or benchmark; goroutines that it starts belong to it
//	runner    the goroutine that runs the test's function
//	scope     a call by which a test expects or ignores findings, in the place of the test
//	expected  of a finding: a scope expects one of its kind
//	ignored   of a finding: a scope says that none is to be reported
//	excused   expected or ignored
//	charged   a test is charged with a finding that is not excused: it fails
//
// # Floor
//
// The package stands on package host alone. Packages report, finding and sync stand on it.
package tests
