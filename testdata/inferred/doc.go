// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package inferred has functions that read a variable in one critical section and write in a later
// one what depends on it, and which nobody has marked as atomic. A test whose name begins with
// TestRace loses an update, and must be reported whenever it runs. One whose name begins with
// TestNoRace has the mistake mended, or does no harm. The interleaving is forced: see package turn.
package inferred
