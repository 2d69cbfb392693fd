// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import engine "github.com/commutego/commute/internal/engine/explore"

// For who measures what runs cost, and starts the processes itself.

// RunSeeds returns the seeds of n runs of a test that share a process. The first one is the
// default, the others are drawn, by all policies in turn, as if no order of operations were
// missing.
func RunSeeds(base uint64, test string, n int) []Seed {
	list := []Seed{{Policy: engine.First}}
	for i := range n - 1 {
		list = append(list, drawn(base, test, i))
	}
	return list
}

// Environment returns the environment for a process of a test binary whose runs go by seeds. The
// process writes its data about the runs to the file, which must not exist yet, and whose name has
// no space.
func Environment(file string, seeds ...Seed) []string {
	return new(Binary).environment(file, false, nil, seeds...)
}
