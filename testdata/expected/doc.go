// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package expected has tests that tell commute what they expect, by package commutetest. Under
// commute, TestRaceX must fail and TestNoRaceX must pass. In a plain build, and under the race
// detector, all must pass but those in which a test of package commutetest fails a test by hand.
package expected

import "sync"

// both runs functions on goroutines that nothing orders, and waits for them.
func both(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(f)
	}
	wg.Wait()
}

// store stores different values under one key of a new map, by goroutines that nothing orders.
func store() {
	m := new(sync.Map)
	both(func() { m.Store("key", 1) }, func() { m.Store("key", 2) })
}

// check has two goroutines look for a key of a new map, and store a value if it is not there.
func check() {
	m := new(sync.Map)
	add := func(value int) {
		if _, ok := m.Load("key"); !ok {
			m.Store("key", value)
		}
	}
	both(func() { add(1) }, func() { add(2) })
}
