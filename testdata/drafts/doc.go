// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package drafts has types without a specification, whose drafts are tested: pasted into their doc
// comments, they find the wrong tests, and let the right ones pass.
package drafts
