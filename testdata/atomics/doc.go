// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package atomics holds only tests: of calls of sync/atomic's types, which are watched with -spec
// sync/atomic. Each test's name has the verdict, as in testdata/verdicts.
package atomics
