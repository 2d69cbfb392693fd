// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hits counts without a lock.
package hits

// Hits is a number of hits.
type Hits struct {
	name string
	n    int
}

// New returns no hits.
func New(name string) *Hits {
	return &Hits{name: name}
}

// Add counts a hit.
func (h *Hits) Add() {
	h.n++
}
