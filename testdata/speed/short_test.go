// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"context"
	"sync"
	"testing"
)

// A crowd is goroutines that live for a short time: each has a context of its own, asks a server for
// something by select, and waits for the context's end.
type crowd struct {
	root     context.Context
	stop     context.CancelFunc
	requests chan chan int
	answered chan struct{}
	end      []context.CancelFunc // of those that are alive
	wg       sync.WaitGroup
}

func newCrowd(alive int) *crowd {
	c := &crowd{
		requests: make(chan chan int), answered: make(chan struct{}), end: make([]context.CancelFunc, alive),
	}
	c.root, c.stop = context.WithCancel(context.Background())
	c.wg.Go(func() {
		for {
			select {
			case reply := <-c.requests:
				reply <- 1
			case <-c.root.Done():
				return
			}
		}
	})
	for i := range alive {
		c.start(i)
	}
	return c
}

// start is the short life of one of them, but for its end.
func (c *crowd) start(i int) {
	var ctx context.Context
	ctx, c.end[i] = context.WithCancel(c.root)
	c.wg.Go(func() {
		reply := make(chan int)
		select {
		case c.requests <- reply:
		case <-ctx.Done():
		}
		<-reply
		c.answered <- struct{}{}
		<-ctx.Done()
	})
	<-c.answered
}

// replace ends the i-th and starts another.
func (c *crowd) replace(i int) {
	c.end[i]()
	c.start(i)
}

func benchmarkShort(b *testing.B, alive, before int) {
	c := newCrowd(alive)
	for i := range before {
		c.replace(i % alive)
	}
	for i := 0; b.Loop(); i++ {
		c.replace(i % alive)
	}
	c.stop()
	c.wg.Wait()
}

// In these so many goroutines are alive, each of which lives for as long as it takes to replace all others.
// The race detector does without no more than 8,128.
func BenchmarkShortAlive1k(b *testing.B)   { benchmarkShort(b, 1000, 1000) }
func BenchmarkShortAlive10k(b *testing.B)  { benchmarkShort(b, 10000, 10000) }
func BenchmarkShortAlive100k(b *testing.B) { benchmarkShort(b, 100000, 100000) }

// In these 100 are alive, and so many have lived before.
func BenchmarkShortAfter1k(b *testing.B)   { benchmarkShort(b, 100, 1000) }
func BenchmarkShortAfter10k(b *testing.B)  { benchmarkShort(b, 100, 10000) }
func BenchmarkShortAfter100k(b *testing.B) { benchmarkShort(b, 100, 100000) }
