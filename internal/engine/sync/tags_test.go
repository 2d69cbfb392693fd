// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/rand"
	"testing"
	"unsafe"
)

// TestTags compares the look-up of a tag with a loop over all of them, for tags at random. Some are
// alike in all but one bit, and some places are free.
func TestTags(t *testing.T) {
	if size := unsafe.Sizeof(block{}); wordBits == 64 && size != 128 {
		t.Errorf("a block has %d bytes, want 128: two lines of the cache", size)
	}
	if inBlock*tagBits > 60 {
		t.Errorf("%d tags of %d bits leave no room for the flags", inBlock, tagBits)
	}
	r := rand.New(rand.NewSource(1))
	for range 200_000 {
		var b block
		first := uintptr(r.Intn(int(BlockSize)))
		at := map[uintptr]int{}
		flags := uint64(r.Intn(16)) << 60
		b.setTags(flags)
		for i := range inBlock {
			addr := first ^ 1<<r.Intn(blockBits)
			if r.Intn(2) == 0 {
				addr = uintptr(r.Intn(int(BlockSize)))
			}
			if _, ok := at[addr]; ok || r.Intn(3) == 0 {
				continue
			}
			at[addr] = i
			b.tag(i, tagOf(0xc000000000|addr))
		}
		for _, addr := range []uintptr{first, uintptr(r.Intn(int(BlockSize)))} {
			want, ok := at[addr]
			if !ok {
				want = -1
			}
			if got := b.find(0xc000000000 | addr); got != want {
				t.Fatalf("%#x is at %d of %v, want %d", addr, got, at, want)
			}
		}
		for addr, i := range at {
			if got := b.find(addr); got != i || !b.has(i, addr) {
				t.Fatalf("%#x is at %d of %v, want %d", addr, got, at, i)
			}
			changes := b.changes.Load()
			if b.tag(i, 0); b.find(addr) >= 0 || b.changes.Load() == changes {
				t.Fatalf("%#x of %v is there when it is gone, or nobody sees that", addr, at)
			}
		}
		if b.tags.Load() != flags {
			t.Fatalf("the flags are %#x, want %#x", b.tags.Load(), flags)
		}
	}
}
