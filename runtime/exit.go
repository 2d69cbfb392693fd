// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/instance"
)

// Exiting tells that the program ends with this status; the result is the status to end with. What
// was found is not written yet then.
func Exiting(status int32) int32 {
	ready()
	whole := stopRecording()
	tellCounts()
	instance.Transactions.Flush(atExit{})
	tellPredictions()
	found.lock.Lock()
	if !found.closed {
		end()
	}
	n := found.reported + told + violated
	found.lock.Unlock()
	wake()
	if status == 0 && n > 0 {
		return options.exit
	}
	if status == 0 && !whole {
		return 2
	}
	return status
}

// WatchMemory tells that accesses to memory are watched. It is called before all else.
func WatchMemory() {
	splitting.memory = true
	instance.Transactions.AllocSite = homeOf
	instance.Predictor.Last, datarace.Counts = datarace.Written, counts
	startRecording()
}

// Errors is what package testing takes for the number of races so far: it fails a test during
// which this grew. It is the number of the last race of g's test; and outside of all tests that of
// the last race at all, so that one that no test answers for fails the run as a whole.
func (g *Goroutine) Errors() int {
	tellPredictions() // they may be of accesses after which nothing was let go
	if g == nil {
		return int(charges.last.Load())
	}
	t := g.test.P().charged()
	if t == nil {
		return int(charges.last.Load())
	}
	return int(t.charge.Load())
}
