// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"sync"
	"sync/atomic"
	"testing"
)

// The benchmarks here read and write memory that several goroutines use, each access ordered after those it conflicts
// with.

// BenchmarkMemSharedRead has every processor read a table that was written before.
func BenchmarkMemSharedRead(b *testing.B) {
	memInts = make([]int, accesses)
	for i := range memInts {
		memInts[i] = i
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			read(memInts)
		}
	})
}

// BenchmarkMemSharedMap has every processor read a map that was filled before.
func BenchmarkMemSharedMap(b *testing.B) {
	memTable = make(map[int]int)
	for i := range accesses {
		memTable[i] = i
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			readTable(memTable)
		}
	})
}

// change writes the fields of an object.
func (r *record) change(by int) {
	r.id += int64(by)
	r.weight = float64(by)
	r.count++
	r.kind = uint8(by)
	r.used = !r.used
	r.name = "changed"
}

// BenchmarkMemMigrateChan hands an object to another goroutine and takes it back; both write its fields.
func BenchmarkMemMigrateChan(b *testing.B) {
	there, back := make(chan *record), make(chan *record)
	go func() {
		for r := range there {
			r.change(1)
			back <- r
		}
	}()
	r := new(record)
	for b.Loop() {
		r.change(2)
		there <- r
		r = <-back
	}
	close(there)
}

// BenchmarkMemMigrateMutex has every processor write an object's fields under its mutex.
func BenchmarkMemMigrateMutex(b *testing.B) {
	var mu sync.Mutex
	r := new(record)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			r.change(1)
			mu.Unlock()
		}
	})
}

// BenchmarkMemPipeline hands a thousand objects, each written by its sender and its receiver, through a channel.
func BenchmarkMemPipeline(b *testing.B) {
	objects := make([]record, accesses)
	c, done := make(chan *record, 64), make(chan bool)
	go func() {
		for r := range c {
			r.change(1)
			if r == &objects[accesses-1] {
				done <- true
			}
		}
	}()
	for b.Loop() {
		for i := range objects {
			objects[i].change(2)
			c <- &objects[i]
		}
		<-done
	}
	close(c)
}

// BenchmarkMemMutexCounter writes a variable under a mutex: no two accesses lie between the same synchronizations.
func BenchmarkMemMutexCounter(b *testing.B) {
	var mu sync.Mutex
	memHeap = new(int)
	for b.Loop() {
		for range accesses {
			mu.Lock()
			*memHeap++
			mu.Unlock()
		}
	}
}

// BenchmarkMemMutexObjects does so with a thousand variables, each of which is written again a thousand synchronizations
// later.
func BenchmarkMemMutexObjects(b *testing.B) {
	var mu sync.Mutex
	memInts = make([]int, accesses)
	for b.Loop() {
		for i := range memInts {
			mu.Lock()
			memInts[i]++
			mu.Unlock()
		}
	}
}

// BenchmarkMemRWMutexRead has every processor read a table under a read lock.
func BenchmarkMemRWMutexRead(b *testing.B) {
	var mu sync.RWMutex
	memInts = make([]int, 64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.RLock()
			read(memInts)
			mu.RUnlock()
		}
	})
}

// BenchmarkMemForkJoin has two goroutines write a half of an array each, and reads all of it when they have ended.
func BenchmarkMemForkJoin(b *testing.B) {
	memInts = make([]int, 4*accesses)
	for b.Loop() {
		var both sync.WaitGroup
		for _, half := range [][]int{memInts[:2*accesses], memInts[2*accesses:]} {
			both.Go(func() {
				for i := range half {
					half[i]++
				}
			})
		}
		both.Wait()
		read(memInts)
	}
}

// BenchmarkMemPublish publishes a new object by an atomic pointer, which another goroutine reads.
func BenchmarkMemPublish(b *testing.B) {
	b.ReportAllocs()
	var current atomic.Pointer[record]
	current.Store(new(record))
	var stop atomic.Bool
	done := make(chan int64)
	go func() {
		sum := int64(0)
		for !stop.Load() {
			r := current.Load()
			sum += r.id + int64(r.count)
		}
		done <- sum
	}()
	for i := 0; b.Loop(); i++ {
		current.Store(&record{id: int64(i), count: int32(i), used: true})
	}
	stop.Store(true)
	<-done
}
