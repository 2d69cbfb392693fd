// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package shipped holds only tests: of calls of types whose specification comes with commute, one
// file for each module. Each test's name has the verdict, as in testdata/verdicts.
package shipped
