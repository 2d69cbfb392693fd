// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package speed holds only benchmarks, each of one thing that a watched program does often. Run
// them with
//
//	go run ./internal/bench/speed
//
// in the main module, which compares the program unwatched, with commute and with the race
// detector. Nothing here is an error: where readers and writers race, the declaration says that
// they are meant to.
package speed
