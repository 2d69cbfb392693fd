// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offheap

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
)

// TestMemo puts and gets keys at random, and wants what a map has. Keys are dense, far apart, or
// alike in their low bits.
func TestMemo(t *testing.T) {
	for _, key := range []func(n uint64) uint64{
		func(n uint64) uint64 { return n + 1 },
		func(n uint64) uint64 { return (n + 1) << 40 },
		func(n uint64) uint64 { return (n + 1) * 0x9E3779B97F4A7C15 },
		func(n uint64) uint64 { return ^n },
	} {
		var m Memo
		model := make(map[uint64]uint64)
		r := rand.New(rand.NewSource(1))
		for range 50000 {
			k := key(uint64(r.Intn(20000)))
			if got, ok := m.Get(k); ok != (model[k] != 0) || got != model[k] {
				t.Fatalf("key %#x: %d, %v, want %d", k, got, ok, model[k])
			}
			if r.Intn(2) == 0 {
				v := 1 + r.Uint64()>>1
				if model[k] == 0 {
					model[k] = v
				}
				if got := m.Put(k, v); got != model[k] {
					t.Fatalf("key %#x: %d was put, want %d", k, got, model[k])
				}
			}
		}
		table := m.table.Load()
		if table.used != len(model) || 2*table.used > 1<<table.log+1 {
			t.Errorf("%d entries of %d for %d keys", table.used, 1<<table.log, len(model))
		}
	}
}

// TestMemoConcurrently has goroutines put other numbers for the same keys, while the table grows:
// all must get the same, and what its owner has stored before.
func TestMemoConcurrently(t *testing.T) {
	const workers, keys = 8, 4000
	var m Memo
	var stored [workers * keys]int // plain: go test -race wants Put and Get to order it
	var got [workers][keys]uint64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for k := range keys {
				own := w*keys + k
				stored[own] = own
				got[w][k] = m.Put(uint64(k+1), uint64(own))
			}
		})
		wg.Go(func() {
			for n := range 4 * keys {
				k := (n*7 + w) % keys
				if v, ok := m.Get(uint64(k + 1)); ok && (int(v)%keys != k || stored[v] != int(v)) {
					t.Errorf("key %d has %d, for which %d is stored", k+1, v, stored[v])
					return
				}
			}
		})
	}
	wg.Wait()
	for k := range keys {
		for w := range workers {
			if v, ok := m.Get(uint64(k + 1)); !ok || v != got[w][k] {
				t.Fatalf("key %d: worker %d got %d, and it is %d", k+1, w, got[w][k], v)
			}
		}
	}
}

func BenchmarkMemoGet(b *testing.B) {
	for _, n := range []uint64{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var m Memo
			for k := range n {
				m.Put(0x400000+16*k, k)
			}
			b.ResetTimer()
			for i := range b.N {
				k := uint64(i) % n
				if v, ok := m.Get(0x400000 + 16*k); !ok || v != k {
					b.Fatal("it is not remembered")
				}
			}
		})
	}
}
