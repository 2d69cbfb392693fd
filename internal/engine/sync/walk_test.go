// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "testing"

// TestWalk has a goroutine go from one address to the next. It learns what was released at each,
// and remembers nearly none; when it comes back to one, it remembers that.
func TestWalk(t *testing.T) {
	const base, n = uintptr(0xc800a00000), 32
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	defer Free(base, n*BlockSize)
	addr := func(i uintptr) uintptr { return base + i*BlockSize + i%4*8 }
	remembered := 0
	for i := range uintptr(n) {
		e := g.Clock.Tick()
		g.AtomicRMW(addr(i))
		if AcquireAtomic(h, addr(i)); !h.Clock.Knows(e) {
			t.Fatalf("what was released at address %d is not learned", i)
		}
		if learnsNothing(h, addr(i)) {
			remembered++
		}
	}
	if remembered > 4 { // these may have the hash of another one
		t.Errorf("of %d addresses %d are remembered, want at most 4", n, remembered)
	}
	last := addr(n - 1)
	if AcquireAtomic(h, last); !learnsNothing(h, last) {
		t.Error("an address that it comes back to is not remembered")
	}
	e := g.Clock.Tick()
	if g.AtomicRMW(last); learnsNothing(h, last) {
		t.Error("what is released there is not seen")
	}
	if AcquireAtomic(h, last); !h.Clock.Knows(e) {
		t.Error("what is released there is not learned")
	}
}
