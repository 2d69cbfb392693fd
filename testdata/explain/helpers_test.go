// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import "sync"

// rounds is how often a test does what it does: each time with other keys.
const rounds = 20

// both runs functions in goroutines that nothing orders, and waits for them.
func both(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(f)
	}
	wg.Wait()
}

// oneByOne runs functions in goroutines, the second when the first has ended: so they don't wait
// for each other. No synchronization orders the first before the second.
func oneByOne(first, second func()) {
	var done flag
	both(func() {
		first()
		done.raise()
	}, func() {
		done.await()
		second()
	})
}

// A conn is a connection to a host.
type conn struct{ host string }

func dial(host string) *conn { return &conn{host} }

// Close closes a connection.
func (c *conn) Close() {}
