// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Programs whose runs by one seed are all the same, though the scheduler has much to choose.

// TestRightSleepers has goroutines that sleep until moments that are near to each other.
func TestRightSleepers(t *testing.T) {
	var n atomic.Int32
	var list []func()
	for range 20 {
		list = append(list, func() {
			for range 300 {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
				n.Add(1)
			}
		})
	}
	together(list...)
	if n.Load() != 6000 {
		t.Errorf("%d times", n.Load())
	}
}

// TestRightPool has objects with locks in a sync.Pool.
func TestRightPool(t *testing.T) {
	type object struct {
		mu sync.Mutex
		n  int
	}
	pool := sync.Pool{New: func() any { return new(object) }}
	var list []func()
	for range 20 {
		list = append(list, func() {
			for range 300 {
				o := pool.Get().(*object)
				o.mu.Lock()
				o.n++
				o.mu.Unlock()
				time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
				pool.Put(o)
			}
		})
	}
	together(list...)
}

// TestRightLoopback has connections on which both ends talk and wait, beside timers.
func TestRightLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var served sync.WaitGroup
	served.Go(func() {
		for range 3 {
			c, err := l.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			served.Go(func() {
				defer c.Close()
				io.Copy(c, c)
			})
		}
	})
	var sum atomic.Int32
	ask := func() {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for i := range 5 {
			fmt.Fprintln(c, i)
			var got int
			if _, err := fmt.Fscanln(c, &got); err != nil || got != i {
				t.Errorf("%d %v, want %d", got, err, i)
			}
			sum.Add(1)
			time.Sleep(time.Microsecond)
		}
	}
	together(ask, ask, ask)
	served.Wait()
	if sum.Load() != 15 {
		t.Errorf("%d answers", sum.Load())
	}
}
