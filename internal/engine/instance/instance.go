// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package instance has the state of the checks of the watched program: one static instance of each
// type of state, at an address that the compiler knows. A hook thus needs no load to find it.
//
// Terms:
//
//	state     what a check knows of one execution, as a value of its package
//	instance  the state of the execution that is watched; a check of a trace makes its own
//
// Package datarace has no value here. Its shadow covers the address space of the process, so
// there is only one.
package instance

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/descriptor"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/vclock"
)

var (
	Clocks       vclock.World      // the threads of the program, which are its goroutines
	Transactions atomicity.Graph   // the transactions that run, and their conflicts
	Predictor    predict.Predictor // the candidates for interleavings that could have happened
	Sections     section.World     // the critical sections of functions with a check and an act
	Descriptors  descriptor.Table  // what file descriptors are ends of
	Deadlocks    deadlock.World    // the orders in which locks are taken
	Orders       vclock.World      // the threads of the program, without the order by locks
)
