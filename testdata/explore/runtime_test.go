// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"io"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Programs that ask something of the scheduler: none may hang.

// TestRightSpin waits for another goroutine in a loop that never blocks.
func TestRightSpin(t *testing.T) {
	var ready atomic.Bool
	together(func() {
		for !ready.Load() {
		}
	}, func() { ready.Store(true) })
}

// TestRightYield is the same with Gosched.
func TestRightYield(t *testing.T) {
	var mu sync.Mutex
	ready := false
	together(func() {
		for ok := false; !ok; runtime.Gosched() {
			mu.Lock()
			ok = ready
			mu.Unlock()
		}
	}, func() {
		mu.Lock()
		ready = true
		mu.Unlock()
	})
}

// TestRightSpinContext waits in a loop for the library alone.
func TestRightSpinContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	together(func() {
		for ctx.Err() == nil {
		}
	}, cancel)
}

// TestRightYieldTimer yields, and does nothing else, until a timer has fired.
func TestRightYieldTimer(t *testing.T) {
	c := make(chan bool, 1)
	time.AfterFunc(time.Millisecond, func() { c <- true })
	for len(c) == 0 {
		runtime.Gosched()
	}
}

// TestRightYieldInput does so until another goroutine has got what comes through a pipe.
func TestRightYieldInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	c := make(chan bool, 1)
	together(func() {
		if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
			t.Error(err)
		}
		c <- true
	}, func() {
		if _, err := w.Write([]byte{1}); err != nil {
			t.Error(err)
		}
		for len(c) == 0 {
			runtime.Gosched()
		}
	})
}

// TestRightSpinInput spins instead.
func TestRightSpinInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var got atomic.Bool
	together(func() {
		if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
			t.Error(err)
		}
		got.Store(true)
	}, func() {
		if _, err := w.Write([]byte{1}); err != nil {
			t.Error(err)
		}
		for !got.Load() {
		}
	})
}

// TestRightSpinTime waits in a loop for time to pass, and for a timer.
func TestRightSpinTime(t *testing.T) {
	for start := time.Now(); time.Since(start) < time.Millisecond; {
	}
	var fired atomic.Bool
	time.AfterFunc(100*time.Microsecond, func() { fired.Store(true) })
	for !fired.Load() {
		runtime.Gosched()
	}
}

// TestRightTicker counts ticks.
func TestRightTicker(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	n := 0
	for {
		select {
		case <-ticker.C:
			n++
			continue
		case <-ctx.Done():
		}
		break
	}
	if n < 1 || n > 20 {
		t.Errorf("%d ticks in a second", n)
	}
}

// TestRightPipe waits for input, beside a goroutine that sleeps.
func TestRightPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	together(func() {
		text, err := io.ReadAll(r)
		if string(text) != "text" || err != nil {
			t.Errorf("%q %v", text, err)
		}
	}, func() {
		time.Sleep(time.Millisecond)
		io.WriteString(w, "text")
		w.Close()
	})
}

// TestRightChild waits for a process, in a system call.
func TestRightChild(t *testing.T) {
	var n atomic.Int32
	together(func() {
		if err := exec.Command("sleep", "0.03").Run(); err != nil {
			t.Skip(err)
		}
		n.Add(1)
	}, func() { n.Add(1) })
	if n.Load() != 2 && !t.Skipped() {
		t.Errorf("%d are done", n.Load())
	}
}

// TestRightCoroutine switches between the goroutines of iter.Pull.
func TestRightCoroutine(t *testing.T) {
	next, stop := iter.Pull(slices.Values([]int{1, 2, 3}))
	defer stop()
	var sum atomic.Int32
	together(func() {
		for v, ok := next(); ok; v, ok = next() {
			sum.Add(int32(v))
		}
	}, func() { sum.Add(4) })
	if sum.Load() != 10 {
		t.Errorf("the sum is %d", sum.Load())
	}
}

// TestRightThread ends goroutines that are locked to their threads.
func TestRightThread(t *testing.T) {
	var n atomic.Int32
	locked := func() {
		runtime.LockOSThread()
		n.Add(1)
	}
	together(locked, locked, locked)
	if n.Load() != 3 {
		t.Errorf("%d have run", n.Load())
	}
}

// TestRightCleanup waits for the garbage collector, with a timeout.
func TestRightCleanup(t *testing.T) {
	cleaned := make(chan struct{})
	func() {
		p := new([16]int)
		runtime.AddCleanup(p, func(c chan struct{}) { close(c) }, cleaned)
	}()
	for range 5 {
		runtime.GC()
		select {
		case <-cleaned:
			return
		case <-time.After(time.Second):
		}
	}
	t.Error("it was not cleaned up")
}

// TestRightBubble has a clock of its own.
func TestRightBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { time.Sleep(time.Hour) })
		wg.Wait()
		if d := time.Since(start); d != time.Hour {
			t.Errorf("an hour took %v", d)
		}
	})
}

// TestRightMany has so many goroutines that not each is looked at.
func TestRightMany(t *testing.T) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 300 {
		wg.Go(func() {
			mu.Lock()
			n++
			mu.Unlock()
		})
	}
	wg.Wait()
	if n != 300 {
		t.Errorf("there are %d", n)
	}
}

// TestRightParallel has parallel subtests.
func TestRightParallel(t *testing.T) {
	for range 3 {
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Second)
		})
	}
}
