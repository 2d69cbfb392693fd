// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func BenchmarkMutex(b *testing.B) {
	var mu sync.Mutex
	for b.Loop() {
		mu.Lock()
		//lint:ignore SA2001 an empty section is what is measured
		mu.Unlock()
	}
}

func BenchmarkMutexContended(b *testing.B) {
	var mu sync.Mutex
	n := 0
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
}

func BenchmarkRWMutexReaders(b *testing.B) {
	var mu sync.RWMutex
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.RLock()
			//lint:ignore SA2001 an empty section is what is measured
			mu.RUnlock()
		}
	})
}

func BenchmarkOnceDone(b *testing.B) {
	var once sync.Once
	for b.Loop() {
		once.Do(func() {})
	}
}

func BenchmarkWaitGroup(b *testing.B) {
	var wg sync.WaitGroup
	for b.Loop() {
		wg.Add(1)
		wg.Done()
		wg.Wait()
	}
}

func BenchmarkPool(b *testing.B) {
	p := sync.Pool{New: func() any { return new(int) }}
	for b.Loop() {
		p.Put(p.Get())
	}
}

func BenchmarkAtomicAdd(b *testing.B) {
	var n atomic.Int64
	for b.Loop() {
		n.Add(1)
	}
}

func BenchmarkAtomicAddParallel(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Add(1)
		}
	})
}

func BenchmarkAtomicLoad(b *testing.B) {
	var n atomic.Int64
	for b.Loop() {
		n.Load()
	}
}

func BenchmarkAtomicLoadParallel(b *testing.B) {
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n.Load()
		}
	})
}

func BenchmarkChanBuffered(b *testing.B) {
	c := make(chan int, 64)
	for b.Loop() {
		c <- 1
		<-c
	}
}

func BenchmarkChanBufferedTwo(b *testing.B) {
	c := make(chan int, 64)
	done := make(chan int)
	go func() {
		for range c {
		}
		close(done)
	}()
	for b.Loop() {
		c <- 1
	}
	close(c)
	<-done
}

func BenchmarkChanPingPong(b *testing.B) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
	for b.Loop() {
		ping <- 1
		<-pong
	}
	close(ping)
}

func BenchmarkSelect(b *testing.B) {
	one, two, never := make(chan int, 1), make(chan int, 1), make(chan int)
	for b.Loop() {
		select {
		case one <- 1:
		case two <- 1:
		case <-never:
		}
		select {
		case <-one:
		case <-two:
		case <-never:
		}
	}
}

func BenchmarkSelectDefault(b *testing.B) {
	never := make(chan int)
	for b.Loop() {
		select {
		case <-never:
		default:
		}
	}
}

func BenchmarkTimerReset(b *testing.B) {
	timer := time.NewTimer(time.Hour)
	for b.Loop() {
		timer.Reset(time.Hour)
	}
	timer.Stop()
}

// A counters is a struct with more locks and atomic variables than a block has room for.
type counters struct {
	locks [4]sync.Mutex
	n     [4]atomic.Int64
}

// BenchmarkNested has a program that takes a lock while it holds one: all that orders goroutines
// without locks is followed from then on. It comes last, as that stays so.
func BenchmarkNested(b *testing.B) {
	c := new(counters)
	for i := range c.locks {
		c.locks[i].Lock()
	}
	for i := range c.locks {
		c.locks[i].Unlock()
	}
	for i := range c.n {
		c.n[i].Add(1)
	}
	b.Run("Mutex", func(b *testing.B) {
		for b.Loop() {
			c.locks[3].Lock()
			//lint:ignore SA2001 an empty section is what is measured
			c.locks[3].Unlock()
		}
	})
	b.Run("AtomicLoad", func(b *testing.B) {
		n := int64(0)
		for b.Loop() {
			n += c.n[3].Load()
		}
		sum.Add(n)
	})
	b.Run("AtomicAdd", func(b *testing.B) {
		for b.Loop() {
			c.n[3].Add(1)
		}
	})
}

var sum atomic.Int64
