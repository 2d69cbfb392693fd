// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Functions without a body need a file of assembly in their package.
