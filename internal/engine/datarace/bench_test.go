// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// kinds are those of most accesses.
var kinds = []struct {
	name string
	kind event.Access
}{{"write", Write}, {"read", Read}}

// benchAddr is where the benchmarks' memory begins.
const benchAddr = 5*regionSize + 4096*pageSize

func benchPair(b *testing.B, bytes uintptr) *pair {
	p := newPair()
	b.Cleanup(func() {
		p.end()
		Free(benchAddr, bytes)
	})
	b.ReportAllocs()
	return p
}

// BenchmarkEpoch is the step to another epoch that is recorded, and the release before it.
func BenchmarkEpoch(b *testing.B) {
	p := benchPair(b, 8)
	var m vclock.SingletonClock
	for b.Loop() {
		m.Release(&p.a.clock)
		p.a.memory.currentEpoch()
	}
}

// BenchmarkByteNewEpoch is an access to the same byte at each epoch; and the step to that.
func BenchmarkByteNewEpoch(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			p := benchPair(b, 8)
			var m vclock.SingletonClock
			for b.Loop() {
				m.Release(&p.a.clock)
				p.a.memory.AccessByte(benchAddr, k.kind, 1)
			}
		})
	}
}

// BenchmarkByteAgain is an access that repeats the last, without and with the look that hooks take
// first.
func BenchmarkByteAgain(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			p := benchPair(b, 8)
			for b.Loop() {
				p.a.memory.AccessByte(benchAddr, k.kind, 1)
			}
		})
		b.Run(k.name+"Hook", func(b *testing.B) {
			p := benchPair(b, 8)
			for b.Loop() {
				hook(p.a, benchAddr, 1, k.kind, 1)
			}
		})
	}
}

// BenchmarkSweep is an access to one byte of each of many cells: first ones, and such that go over
// those of the last time.
func BenchmarkSweep(b *testing.B) {
	for _, size := range []uintptr{32 << 10, 16 << 20} {
		for _, k := range kinds {
			b.Run(fmt.Sprintf("%s%dK", k.name, size>>10), func(b *testing.B) {
				p := benchPair(b, size)
				var m vclock.SingletonClock
				at := uintptr(0)
				for b.Loop() {
					p.a.memory.AccessByte(benchAddr+at, k.kind, 1)
					if at += 8; at == size {
						at = 0
						m.Release(&p.a.clock)
					}
				}
			})
		}
	}
}

// BenchmarkSharedRead has several goroutines in turn read the same cells, at epochs that are not
// ordered.
func BenchmarkSharedRead(b *testing.B) {
	for _, n := range []int{2, 4, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchPair(b, 4096)
			gs := make([]*goroutine, n)
			for i := range gs {
				gs[i] = newGoroutine(i)
				p.main.Fork(&gs[i].clock)
				gs[i].memory.Start(&gs[i].clock)
			}
			var m vclock.SingletonClock
			i, at := 0, uintptr(0)
			for b.Loop() {
				gs[i].memory.AccessByte(benchAddr+at, Read, 1)
				if at += 8; at == 4096 {
					at = 0
					m.Release(&gs[i].clock)
					if i++; i == n {
						i = 0
					}
				}
			}
			for i := range gs {
				gs[i].end()
			}
		})
	}
}

// BenchmarkHandedOver has two goroutines write the same cells in turn, each after the other.
func BenchmarkHandedOver(b *testing.B) {
	p := benchPair(b, 4096)
	gs := []*goroutine{p.a, p.b}
	var m vclock.SingletonClock
	i, at := 0, uintptr(0)
	for b.Loop() {
		gs[i].memory.AccessByte(benchAddr+at, Write, 1)
		if at += 8; at == 4096 {
			at = 0
			m.Release(&gs[i].clock)
			i = 1 - i
			m.Acquire(&gs[i].clock)
		}
	}
}

// BenchmarkRange is an access to 4 KB: the first of an epoch, and such that repeat it as hooks see
// them.
func BenchmarkRange(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			p := benchPair(b, 4096)
			var m vclock.SingletonClock
			b.SetBytes(4096)
			for b.Loop() {
				m.Release(&p.a.clock)
				p.a.memory.Access(benchAddr, 4096, k.kind, 1)
			}
		})
		b.Run(k.name+"Hook", func(b *testing.B) {
			p := benchPair(b, 4096)
			b.SetBytes(4096)
			for b.Loop() {
				hook(p.a, benchAddr, 4096, k.kind, 1)
			}
		})
	}
}

// BenchmarkFanOut has 16 new goroutines read the bytes of the same 32 cells, and waits for them,
// again and again. An operation is a read.
func BenchmarkFanOut(b *testing.B) {
	const readers, bytes = 16, 256
	p := benchPair(b, bytes)
	var gs [readers]*goroutine
	for i := range gs {
		gs[i] = newGoroutine(i)
	}
	for n := 0; n < b.N; {
		for _, g := range gs {
			p.main.Fork(&g.clock)
			g.memory.Start(&g.clock)
		}
		for _, g := range gs {
			for at := uintptr(0); at < bytes; at++ {
				hook(g, benchAddr+at, 1, Read, 2)
			}
		}
		n += readers * bytes
		for _, g := range gs {
			var m vclock.SingletonClock
			m.Release(&g.clock)
			m.Acquire(p.main)
			g.end()
		}
	}
}
