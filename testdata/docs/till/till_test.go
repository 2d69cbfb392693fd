// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package till

import (
	"runtime"
	"sync"
	"testing"
)

// isPut is set by put and read by open, in a way that orders nothing: so put comes first by
// accident.
var isPut bool

//go:norace
//go:noinline
func set() { isPut = true }

//go:norace
//go:noinline
func get() bool { return isPut }

func TestOpen(t *testing.T) {
	till := &Till{coins: make(map[string]int)}
	var all sync.WaitGroup
	all.Go(func() {
		till.put("cent", 7)
		set()
	})
	all.Go(func() {
		for !get() {
			runtime.Gosched()
		}
		till.Open()
	})
	all.Wait()
}
