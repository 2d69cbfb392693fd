// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package finding makes a race, for programs that end in unusual ways afterwards.
package finding

import "sync"

// Make stores two values at a key of one map in two goroutines that nothing orders, and returns when
// both have been done.
func Make() {
	var m sync.Map
	var both sync.WaitGroup
	both.Add(2)
	go func() { defer both.Done(); m.Store("key", "value") }()
	go func() { defer both.Done(); m.Store("key", "other") }()
	both.Wait()
}
