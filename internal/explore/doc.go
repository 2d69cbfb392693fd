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
//   - A first run follows the default schedule: the running goroutine goes on for as long as it
//     can. The run writes down its decisions.
//   - A third of the runs is a search: at one decision, a choice other than the default is forced.
//     Decisions where an object is used once more, or in a transaction, come first. After all of
//     these runs, two decisions are forced, and then three. A schedule whose outcome predict.go
//     predicts from another run is not run.
//   - The other runs are by random policies, which take turns.
//
// Several runs share a process, by -test.count, and several processes run at once. A run that fails
// is repeated in a process of its own, by its seed.
//
// # How a finding is confirmed
//
// The reports are read from the programs' output (report.go): a finding has a kind, a function and
// places. A look is a series of runs, each in its own process, until the finding is reported as
// observed. Under -explore, a look follows a failure that is only reported as possible. With
// -confirm, another process requests the look, after an ordinary run.
//
// # Terms
//
// The terms of the engine's package explore, in internal/engine/explore, are used here, too.
// Further terms:
//
//	plan   the number of runs of each test, and the time for them
//	batch  runs that share a process
//	order  two operations on an object: one was made while the other could have been made
//	cover  the orders that were seen
//	round  batches that are chosen together, and may run at once
//	told   of a run: the data that the program has written about it
//	step   the events of a goroutine from a decision on until it comes to a point, or can't go on
//	base   a run that was made; schedules are simulated with its steps to predict their outcome
package explore
