// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import engine "github.com/commutego/commute/internal/engine/explore"

// For who measures what runs cost, and starts the processes itself.

// RunSeeds are those of n runs of a test that share a process: the first one is by default, the
// others are drawn, by all policies in turn, as far as no order of operations is missing.
func RunSeeds(base uint64, test string, n int) []Seed {
	list := []Seed{{Policy: engine.First}}
	for i := range n - 1 {
		list = append(list, drawn(base, test, i))
	}
	return list
}

// Environment is that of a process of a test binary whose runs go by seeds. They are told in a file
// that must not be there; its name has no space.
func Environment(file string, seeds ...Seed) []string {
	return new(Binary).environment(file, false, nil, seeds...)
}
