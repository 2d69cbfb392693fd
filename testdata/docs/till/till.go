// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package till has tills that are opened in two critical sections.
package till

import "sync"

// A Till has some of each coin.
type Till struct {
	mu    sync.Mutex
	coins map[string]int
}

func (t *Till) put(coin string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.coins[coin] = n
}

// Open puts change into the till.
//
//commute:atomic nobody sees half of the change
func (t *Till) Open() {
	t.put("dime", 10)
	t.put("cent", 50)
}
