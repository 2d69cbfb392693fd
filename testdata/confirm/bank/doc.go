// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package bank has programs in whose ordinary runs nothing happens, as goroutines run one after the
// other, and commute reports what could. commute test -confirm has it happen, but for TestNever.
package bank
