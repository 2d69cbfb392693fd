// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package explore runs the tests of a package by many schedules: commute test -explore.
//
// Input: a test binary, built so that its schedules can be explored, with the flags that the go
// command gives it; a plan. Output: what go test expects of a test binary, and for each test that
// fails the seed by which it fails again.
//
// # How a test is explored
//
//   - A first run goes by default: who runs goes on for as long as it can. It writes down the
//     decisions that there were.
//   - A third of the runs is a search: one decision is forced, to another choice than the default.
//     Decisions where an object is used once more, or in a transaction, come first. When all such
//     runs were made, two decisions are forced, and then three. What another run predicts, as
//     predict.go does, is not run.
//   - The other runs are by policies that draw, which take turns.
//
// Several runs share a process, by -test.count, and several processes run at once. A run that fails
// is repeated in a process of its own, by its seed.
//
// # How a finding is confirmed
//
// Reports are read in what programs write, as report.go does: a finding has a kind, a function and
// places. A look makes runs, each in a process, until the finding is reported as observed. Under
// -explore it comes after a failure that is only reported as possible; with -confirm another
// process asks for it, after an ordinary run.
//
// # Terms
//
// Those of package explore of the engine, in internal/engine/explore. Further:
//
//	plan   how many runs each test has, and for how long
//	batch  runs that share a process
//	order  two operations on an object, of which the one was made while the other could have been
//	cover  the orders that were seen
//	round  batches that are chosen together, and may run at once
//	told   of a run: what the program has written of it
//	step   what a goroutine does from a decision on until it comes to a point, or can't go on
//	base   a run that was made, with whose steps schedules are played to predict them
package explore
