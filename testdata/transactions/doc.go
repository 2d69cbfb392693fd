// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package transactions has code that is marked as atomic, in pairs: a test whose name begins with
// TestRace breaks a transaction, and must be reported whenever it runs; its twin, whose name begins
// with TestNoRace, has the mistake mended. The interleaving is forced (see package script).
package transactions
