// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package levels has pairs of calls that are not ordered, for the default level: TestRaceX must be
// reported, and TestNoRaceX must not. In a test whose name has Read in it, a call reads beside one
// that writes, so that it is reported at level=races. In one whose name has Again in it, the read
// is looked at again by the function that writes, so that only level=all reports it.
package levels
