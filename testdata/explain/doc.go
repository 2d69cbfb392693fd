// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package explain has the programs of "commute explain": for each kind of finding a wrong one,
// whose test begins with TestRace, and a right one. The pages show parts of them.
package explain
