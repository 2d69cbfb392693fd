// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package docs is the module of the programs that README.md and docs show, with what commute prints
// of them. Some have mistakes on purpose. Package internal/verdict runs them.
package docs
