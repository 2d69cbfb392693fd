// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"slices"
	"testing"
)

// triple is the three accesses of a prediction, by their sites.
type triple struct{ first, other, second uint32 }

// collector returns a function that adds predictions to list.
func collector(list *[]triple) func(*script, Prediction) {
	return func(_ *script, p Prediction) {
		*list = append(*list, triple{p.First.Site, p.Other.Site, p.Second.Site})
	}
}

// TestTwoPredictors runs two executions in turns: their threads have the same slots, and their
// locks and variables the same addresses. Each must predict what it predicts when it runs alone.
func TestTwoPredictors(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 1000
	}
	var alone, first, second Predictor
	predictions := 0
	for seed := range n {
		seeds := [2]uint64{seed, seed + n}
		var want, got [2][]triple
		for i := range seeds {
			s := newScript(seeds[i], &alone)
			s.start()
			for s.step(collector(&want[i])) {
			}
			s.finish()
		}
		scripts := [2]*script{newScript(seeds[0], &first), newScript(seeds[1], &second)}
		for _, s := range scripts {
			s.start()
		}
		for goesOn := true; goesOn; {
			goesOn = false
			for i, s := range scripts {
				if s.step(collector(&got[i])) {
					goesOn = true
				}
			}
		}
		for i := range scripts {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("seed %d, execution %d: predicted %v, and alone %v",
					seed, i, got[i], want[i])
			}
			predictions += len(got[i])
		}
		for _, s := range scripts {
			s.finish()
		}
	}
	if predictions < 20 {
		t.Errorf("only %d predictions: the test says nothing", predictions)
	}
	t.Logf("%d predictions", predictions)
}
