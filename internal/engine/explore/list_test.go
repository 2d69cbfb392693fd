// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// TestList compares a list with a slice.
func TestList(t *testing.T) {
	for seed := range int64(50) {
		r := rand.New(rand.NewSource(seed))
		var l list
		var want []uint32
		next := uint32(0)
		for range 5000 {
			if n := len(want); n == 0 || r.Intn(n+1000) < 500 {
				next++
				l.add(next)
				want = append(want, next)
				continue
			}
			i := 0 // mostly, as by default
			if r.Intn(3) == 0 {
				i = r.Intn(len(want))
			}
			if got, ok := l.index(want[i]); !ok || got != uint32(i) {
				t.Fatalf("%d is at %d, want %d", want[i], got, i)
			}
			l.remove(uint32(i))
			want = slices.Delete(want, i, i+1)
			if !slices.Equal(l.slice(0, l.n), want) {
				t.Fatalf("seed %d: %v, want %v", seed, l.slice(0, l.n), want)
			}
		}
		if _, ok := l.index(next + 1); ok {
			t.Fatal("there is an element that was not added")
		}
	}
}

// BenchmarkChoose has the token go round among so many tasks.
func BenchmarkChoose(b *testing.B) {
	for _, spec := range []string{"first-0", "random-7", "surw-7", "pos-7", "again-7"} {
		for _, n := range []int{10, 1000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", spec, n), func(b *testing.B) {
				var c Control
				root := c.New(1, 0)
				s, _ := ParseSpec(spec)
				c.Begin(s, root)
				for range n {
					c.Ready(c.New(2, root))
				}
				b.ReportAllocs()
				for b.Loop() {
					id := c.Choose(0)
					c.Operate(id, uintptr(4096+id%64*8), Lock, 0)
					c.Ready(id)
				}
			})
		}
	}
}
