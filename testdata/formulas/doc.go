// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package formulas has types without a specification. What commute spec infer makes of them is in
// the file of the package's folder golden that has their name.
package formulas
