// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

func countAny(queue *sync.Map, id int, job string) (n int) {
	var wg sync.WaitGroup
	wg.Go(func() { queue.Store(id, job) })
	queue.Range(func(_, _ any) bool { n++; return true }) // with or without the job
	wg.Wait()
	return n
}

func countAll(queue *sync.Map, id int, job string) (n int) {
	var wg sync.WaitGroup
	wg.Go(func() { queue.Store(id, job) })
	wg.Wait()
	queue.Range(func(_, _ any) bool { n++; return true }) // with the job
	return n
}

func TestRaceOrderDependentResult(t *testing.T) {
	var queue sync.Map
	countAny(&queue, 7, "x")
}

func TestNoRaceOrderDependentResult(t *testing.T) {
	var queue sync.Map
	countAll(&queue, 7, "x")
}
