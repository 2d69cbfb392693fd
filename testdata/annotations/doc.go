// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package annotations holds only tests: of calls of types that have a specification in their doc
// comments, in the package itself and in another. Each test's name has the verdict, as in
// testdata/verdicts.
package annotations
