// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

// clobber leaves a frame pointer behind that is none, as assembly of some modules does.
func clobber()
