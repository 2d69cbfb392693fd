// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"context"
	"runtime"
	"sync"
	"testing"
)

// TestNoRaceStacks has many goroutines wait that have done a little. What commute does in them
// takes no stack that has grown twice.
func TestNoRaceStacks(t *testing.T) {
	const n = 2000
	root, stop := context.WithCancel(context.Background())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var mu sync.Mutex
	total := 0
	answers := make(chan int)
	var ready, all sync.WaitGroup
	ready.Add(n)
	for range n {
		all.Go(func() {
			ctx, cancel := context.WithCancel(root)
			defer cancel()
			mu.Lock()
			total++
			mu.Unlock()
			select {
			case answers <- 1:
			case <-ctx.Done():
			}
			ready.Done()
			<-ctx.Done()
		})
		<-answers
	}
	ready.Wait()
	runtime.ReadMemStats(&after)
	each := int(after.StackInuse-before.StackInuse) / n
	stop()
	all.Wait()
	// Go starts goroutines with 4096 bytes where most have had that many. Another test may have
	// stacks of its own meanwhile. The next size is 8192.
	if each > 6000 {
		t.Errorf("a stack has %d bytes", each)
	}
}
