// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !commute_explore && !commute_perturb

package runtime

// Schedules are not explored: these functions are never called, and cost nothing. Each is in one of
// the files explore*.go for a build that explores, and in perturb.go for one that perturbs.

import "unsafe"

const commute_exploring = false

func commute_exploreRun()                           {}
func commute_exploreEnd()                           {}
func commute_beginPoint(obj unsafe.Pointer)         {}
func commute_observedPoint(obj unsafe.Pointer)      {}
func commute_exploreTransaction(by int, point bool) {}
