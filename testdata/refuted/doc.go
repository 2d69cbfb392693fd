// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package refuted has types whose specifications are wrong, each in one line, which says so. The
// file right/right.ecl has what is right of the same types.
package refuted
