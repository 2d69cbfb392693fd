// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package prose has comments with the word that are no annotations.
package prose

import (
	"sync" // atomic
)

// atomic operations are used here
var a int32 // atomic

// atomic
var b int32

type T struct {
	// atomic
	n int32 // atomic
	//atomic
	m int32 //atomic
}

const c = 1 //atomic

// F is not
// atomic
// at all.
func F() {
	//atomically, so to say
	// commute: atomic is a word
	x := 1
	// The next block is
	// atomic
	{
		x++
	}
	// atomic and so on
	for range 2 {
		x++ // atomic
	}
	// Atomic
	{
		x++
	}
	/* atomic */
	{
		x++
	}
	//	atomic
	{
		x++
	}
	var mu sync.Mutex
	mu.Lock()  // atomic
	if x > 0 { // atomic
		x++
	}
	//atomic variables are declared here
	var v, w int32 //atomic
	_, _ = v, w
	//Atomic
	x++
	//nonatomic
	x++
	//commute:ignore the call is atomic
	F()
}

// G does:
//
//	atomic
//
// Atomic.
//
// atomic.
func G() {}
