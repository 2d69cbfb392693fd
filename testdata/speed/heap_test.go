// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"runtime"
	"sync"
	"testing"
)

// The benchmarks of BenchmarkHeap make and use 200 MB that are alive at once: what such a process takes at its peak is
// mostly the heap and what a detector keeps for it. For that, run one in a process of its own, with -test.benchtime=1x,
// as internal/bench/racebench does.

const heapBytes = 200 << 20

// A link is 32 bytes.
type link struct {
	next *link
	id   int64
	a, b int32
	c    int64
}

// chain makes a list of 200 MB.
func chain() *link {
	var first *link
	for i := range heapBytes / 32 {
		first = &link{next: first, id: int64(i), a: 1, b: 2, c: 3}
	}
	return first
}

// length walks the list.
func (l *link) length() (n int64) {
	for ; l != nil; l = l.next {
		n += int64(l.a) + l.c
	}
	return n
}

// BenchmarkHeapStructs makes a list of small objects, and walks it.
func BenchmarkHeapStructs(b *testing.B) {
	for b.Loop() {
		first := chain()
		memCounter += int(first.length())
		runtime.KeepAlive(first)
	}
}

// BenchmarkHeapStructsShared has two other goroutines walk the list too, so that three have read each object.
func BenchmarkHeapStructsShared(b *testing.B) {
	for b.Loop() {
		first := chain()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { runtime.KeepAlive(first.length()) })
		}
		memCounter += int(first.length())
		both.Wait()
		runtime.KeepAlive(first)
	}
}

func BenchmarkHeapInts(b *testing.B)  { fill[int](b, heapBytes/8) }
func BenchmarkHeapBytes(b *testing.B) { fill[byte](b, heapBytes) }

// fill writes all of one array, and reads it.
func fill[T number](b *testing.B, n int) {
	for b.Loop() {
		array := make([]T, n)
		write(array)
		read(array)
		runtime.KeepAlive(array)
	}
}

// BenchmarkHeapBlocks writes buffers of 64 KB as a whole, by copying.
func BenchmarkHeapBlocks(b *testing.B) {
	from := make([]byte, 64<<10)
	for b.Loop() {
		blocks := make([][]byte, heapBytes>>16)
		for i := range blocks {
			blocks[i] = make([]byte, 64<<10)
			copy(blocks[i], from)
		}
		memBytes = blocks[0]
		runtime.KeepAlive(blocks)
	}
}

// BenchmarkHeapMaps fills 1,400 maps of 5,000 small entries, some 200 MB, and looks up every key.
func BenchmarkHeapMaps(b *testing.B) {
	for b.Loop() {
		maps := make([]map[int]int, 1400)
		for i := range maps {
			maps[i] = make(map[int]int, 5000)
			for k := range 5000 {
				maps[i][k] = i
			}
		}
		for _, m := range maps {
			for k := range 5000 {
				memCounter += m[k]
			}
		}
		runtime.KeepAlive(maps)
	}
}
