// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package leaks holds only tests: goroutines that they leave. TestLeakX leaves one that must be
// reported, and TestNoLeakX none.
package leaks
