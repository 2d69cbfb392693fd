// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"sync/atomic"
	"testing"
)

func countHits() int {
	var wg sync.WaitGroup
	var hits int
	wg.Go(func() { hits++ })
	n := hits // nothing orders this and the write
	wg.Wait()
	return n
}

func countHitsOneByOne() int64 {
	var wg sync.WaitGroup
	var hits atomic.Int64
	wg.Go(func() { hits.Add(1) })
	n := hits.Load()
	wg.Wait()
	return n
}

func TestRaceDataRace(t *testing.T)   { countHits() }
func TestNoRaceDataRace(t *testing.T) { countHitsOneByOne() }
