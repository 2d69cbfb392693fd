// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "github.com/commutego/commute/internal/engine/vclock"

// What the checks know of the program that is watched: one static instance of each.
var clocks vclock.World
