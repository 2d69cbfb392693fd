// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/rand"
	"testing"
)

// cacheRuns counts the runs of TestPageCache: pages stay, so that each has memory of its own.
var cacheRuns uintptr

// A cache finds what a look-up without one does, also a page that was made after it was looked for.
func TestPageCache(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	base := uintptr(7)<<40 + cacheRuns<<(regionBits+3)
	cacheRuns++
	var c PageCache
	none, later, turns, oldest := 0, 0, 0, 0
	var last, before uintptr
	missed := make(map[uintptr]bool)
	for range 20000 {
		// A few pages of each of five regions, looked up again and again.
		addr := base + uintptr(r.Intn(5))<<regionBits + uintptr(r.Intn(64))<<pageBits + 8
		if r.Intn(2) == 0 && before != 0 {
			addr = before // two pages in turn
		}
		last, before = addr, last
		for range 1 + r.Intn(3) {
			if c.other.not == ^(addr >> regionBits) {
				turns++
			}
			if c.oldest.not == ^(addr >> regionBits) {
				oldest++
			}
			if r.Intn(200) == 0 {
				makePageAt(addr)
			}
			got, want := c.Find(addr), PageAt(addr)
			if got != want {
				t.Fatalf("%#x: page %p, want %p", addr, got, want)
			}
			switch {
			case want == nil:
				none++
				missed[addr] = true
			case missed[addr]:
				later++
			}
		}
	}
	if none < 100 || later < 100 || turns < 100 || oldest < 100 {
		t.Errorf("%d look-ups find no page, %d one made later, %d are of the region before the "+
			"last, %d of that before: too few for a test", none, later, turns, oldest)
	}
}
