// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync/atomic"
	"testing"
)

// Who looks for callers must not follow a frame pointer that is none.
func TestNoRaceClobberedFramePointer(t *testing.T) {
	var n atomic.Int64
	m := map[int]*[]int{}
	for i := range 10 {
		clobber()
		s := make([]int, i, i+1)
		clobber()
		n.Add(1)
		clobber()
		m[i] = &s
		clobber()
		copy(s, make([]int, i))
	}
	keep(m)
}
