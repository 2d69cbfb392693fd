// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package instance has what the checks know of the program that is watched: one static instance of
// each of their states, at an address that the compiler knows. Checks of traces have their own.
//
// Not here is package datarace, whose shadow is that of the process's address space: there is one.
package instance

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

var (
	Clocks       vclock.World      // the goroutines' clocks
	Transactions atomicity.Graph   // transactions that run, and their conflicts
	Predictor    predict.Predictor // interleavings that could have happened
)
