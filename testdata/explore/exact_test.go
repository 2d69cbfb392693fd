// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
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

// A node is an object whose address is the key of a map.
type node struct {
	mu sync.Mutex
	n  int
}

// TestRightAddresses has maps whose keys are pointers, or have some. They are elsewhere in each
// process.
func TestRightAddresses(t *testing.T) {
	var moved []*node
	for range os.Getpid() % 101 {
		moved = append(moved, new(node))
	}
	defer runtime.KeepAlive(moved)
	type pair struct {
		name string
		of   [1]any
	}
	plain, faces, pairs := map[*node]bool{}, map[sync.Locker]bool{}, map[pair]bool{}
	var list []*node
	for range 100 {
		o := new(node)
		list = append(list, o)
		plain[o], faces[&o.mu], pairs[pair{"a", [1]any{o}}] = true, true, true
	}
	var shared sync.Map
	for _, o := range list[:40] {
		shared.Store(o, true)
	}
	together(func() {
		for o := range plain {
			o.mu.Lock()
			o.n++
			o.mu.Unlock()
		}
	}, func() {
		for mu := range faces {
			mu.Lock()
			mu.Unlock() //lint:ignore SA2001 who takes it matters
		}
	}, func() {
		for p := range pairs {
			o := p.of[0].(*node)
			o.mu.Lock()
			o.n++
			o.mu.Unlock()
		}
	}, func() {
		shared.Range(func(o, _ any) bool {
			o.(*node).mu.Lock()
			o.(*node).mu.Unlock() //lint:ignore SA2001 who takes it matters
			return true
		})
	})
	for _, o := range list {
		if o.n != 2 || !plain[o] || !faces[&o.mu] || !pairs[pair{"a", [1]any{o}}] {
			t.Error("a key is lost")
		}
	}
}

// TestRightContexts cancels a context with many children, which it has in a map.
func TestRightContexts(t *testing.T) {
	var moved []*node
	for range os.Getpid() % 101 {
		moved = append(moved, new(node))
	}
	defer runtime.KeepAlive(moved)
	ctx, cancel := context.WithCancel(context.Background())
	var n atomic.Int32
	var list []func()
	for range 40 {
		child, done := context.WithCancel(ctx)
		list = append(list, func() {
			<-child.Done()
			n.Add(1)
			done()
		})
	}
	together(append(list, cancel)...)
	if n.Load() != 40 {
		t.Errorf("%d of 40 are canceled", n.Load())
	}
}

// TestRightClock makes as many operations as milliseconds have gone by since a full second. A file
// that was there before is not from the future.
func TestRightClock(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex
	n := 0
	work := func() {
		for range now.Nanosecond() / 1e6 {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}
	together(work, work)
	if n != 2*(now.Nanosecond()/1e6) {
		t.Errorf("%d times", n)
	}
	if info, err := os.Stat(os.Getenv("EXPLORE_STAMP")); err == nil && now.Before(info.ModTime()) {
		t.Errorf("it is %v, and a file is of %v", now, info.ModTime())
	}
}

// TestElsewhere counts in a file how often it was run, and does something else each time: it has no
// schedule that can be made again. It fails the first time.
func TestElsewhere(t *testing.T) {
	name := os.Getenv("EXPLORE_COUNTER")
	if name == "" {
		t.Skip("there is no file to count in")
	}
	count, _ := os.ReadFile(name)
	if err := os.WriteFile(name, append(count, '+'), 0o666); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	work := func() {
		for range count {
			mu.Lock()
			n++
			mu.Unlock()
		}
	}
	together(work, work)
	if n == 0 {
		t.Error("it is the first time")
	}
}
