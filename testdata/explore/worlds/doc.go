// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package worlds has tests that share the program with something else: TestMain and goroutines that
// it starts, parallel subtests, bubbles of testing/synctest, servers, and other processes. A test
// that is called TestWrong... goes wrong by a rare schedule.
package worlds
