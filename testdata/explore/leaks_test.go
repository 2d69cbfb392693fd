// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"
)

// Programs that leave goroutines behind. In those that are wrong nobody can ever wake them.

// leakFirst takes the first of two answers, and leaves who sends the other one.
func leakFirst(_ *testing.T, right bool) {
	size := 0
	if right {
		size = 1
	}
	answers := make(chan int, size)
	for i := range 2 {
		go func() { answers <- i }()
	}
	<-answers
}

func TestWrongLeakFirst(t *testing.T) { wrong(t); leakFirst(t, false) }
func TestRightLeakFirst(t *testing.T) { leakFirst(t, true) }

// leakEarly returns early, if it finds that the work has failed, and does not take the result.
func leakEarly(_ *testing.T, right bool) {
	result := make(chan error)
	if right {
		result = make(chan error, 1)
	}
	var failed atomic.Bool
	go func() {
		failed.Store(true)
		result <- errors.New("failed")
	}()
	if failed.Load() {
		return
	}
	<-result
}

func TestWrongLeakEarly(t *testing.T) { wrong(t); leakEarly(t, false) }
func TestRightLeakEarly(t *testing.T) { leakEarly(t, true) }

// leakRange ranges over a channel that is closed only if nobody has stopped before.
func leakRange(_ *testing.T, right bool) {
	jobs := make(chan int)
	var stopped atomic.Bool
	go func() {
		for range jobs {
		}
	}()
	go func() {
		if right {
			defer close(jobs)
		}
		for i := range 3 {
			if stopped.Load() {
				return
			}
			jobs <- i
		}
		if !right {
			close(jobs)
		}
	}()
	stopped.Store(true)
}

func TestWrongLeakRange(t *testing.T) { wrong(t); leakRange(t, false) }
func TestRightLeakRange(t *testing.T) { leakRange(t, true) }

// leakContext waits for a context that is cancelled only if something has been done in time.
func leakContext(_ *testing.T, right bool) {
	ctx, cancel := cancellable()
	var done atomic.Bool
	go func() {
		<-ctx.Done()
	}()
	go done.Store(true)
	if right || done.Load() {
		cancel()
	}
}

func cancellable() (context.Context, func()) { return context.WithCancel(context.Background()) }

func TestWrongLeakContext(t *testing.T) { wrong(t); leakContext(t, false) }
func TestRightLeakContext(t *testing.T) { leakContext(t, true) }

// leakTimeout gives up when the time is over, and leaves who sends the result.
func leakTimeout(_ *testing.T, right bool) {
	result := make(chan int)
	if right {
		result = make(chan int, 1)
	}
	go func() {
		time.Sleep(time.Second)
		result <- 1
	}()
	select {
	case <-result:
	case <-time.After(time.Second):
		time.Sleep(time.Second)
	}
}

func TestWrongLeakTimeout(t *testing.T) { wrong(t); leakTimeout(t, false) }
func TestRightLeakTimeout(t *testing.T) { leakTimeout(t, true) }

// leakLate ends when the time is over, while who sends the result is at work still.
func leakLate(_ *testing.T, right bool) {
	result := make(chan int)
	if right {
		result = make(chan int, 1)
	}
	go func() {
		time.Sleep(100 * time.Millisecond)
		result <- 1
	}()
	select {
	case <-result:
	case <-time.After(10 * time.Millisecond):
	}
}

func TestWrongLeakLate(t *testing.T) { wrong(t); leakLate(t, false) }
func TestRightLeakLate(t *testing.T) { leakLate(t, true) }

// leakWakeup waits for a Cond that may have been signalled before.
func leakWakeup(_ *testing.T, right bool) {
	var mu sync.Mutex
	var ready atomic.Bool
	cond := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		defer mu.Unlock()
		for !ready.Load() {
			cond.Wait()
		}
	}()
	if right {
		mu.Lock()
		defer mu.Unlock()
	}
	ready.Store(true)
	cond.Signal()
}

func TestWrongLeakWakeup(t *testing.T) { wrong(t); leakWakeup(t, false) }
func TestRightLeakWakeup(t *testing.T) { leakWakeup(t, true) }

// leakLock returns without an unlock, if it finds nothing to do.
func leakLock(_ *testing.T, right bool) {
	var mu sync.Mutex
	var work atomic.Int32
	go func() {
		mu.Lock()
		if right {
			defer mu.Unlock()
		}
		if work.Load() == 0 {
			return
		}
		if !right {
			mu.Unlock()
		}
	}()
	go func() {
		work.Add(1)
		mu.Lock()
		mu.Unlock() //lint:ignore SA2001 what matters is to take it
	}()
}

func TestWrongLeakLock(t *testing.T) { wrong(t); leakLock(t, false) }
func TestRightLeakLock(t *testing.T) { leakLock(t, true) }

// neighbors are small objects that live on, some of which the allocator may put beside a lock.
var neighbors []*int32

// leakNeighbor is leakLock, for a lock that was made between small objects that live on.
func leakNeighbor(_ *testing.T, right bool) {
	neighbors = append(neighbors, new(int32))
	mu := new(sync.Mutex)
	neighbors = append(neighbors, new(int32))
	go func() {
		mu.Lock()
		if right {
			mu.Unlock()
		}
	}()
	go func() {
		mu.Lock()
		mu.Unlock() //lint:ignore SA2001 what matters is to take it
	}()
}

func TestWrongLeakNeighbor(t *testing.T) { wrong(t); leakNeighbor(t, false) }
func TestRightLeakNeighbor(t *testing.T) { leakNeighbor(t, true) }

// leakGroup forgets Done where it finds nothing to do.
func leakGroup(_ *testing.T, right bool) {
	var wg sync.WaitGroup
	var work atomic.Int32
	wg.Add(1)
	go func() {
		if right {
			defer wg.Done()
		}
		if work.Load() == 0 {
			return
		}
		if !right {
			wg.Done()
		}
	}()
	go wg.Wait()
	work.Add(1)
}

func TestWrongLeakGroup(t *testing.T) { wrong(t); leakGroup(t, false) }
func TestRightLeakGroup(t *testing.T) { leakGroup(t, true) }

// leakSelect waits for work or for the end, and nobody says the end if there was an error.
func leakSelect(_ *testing.T, right bool) {
	work, end := make(chan int), make(chan struct{})
	var failed atomic.Bool
	go func() {
		for {
			select {
			case <-work:
			case <-end:
				return
			}
		}
	}()
	go failed.Store(true)
	if right || !failed.Load() {
		close(end)
	}
}

func TestWrongLeakSelect(t *testing.T) { wrong(t); leakSelect(t, false) }
func TestRightLeakSelect(t *testing.T) { leakSelect(t, true) }

// leakNil receives from a channel that may not have been made yet.
func leakNil(_ *testing.T, right bool) {
	var current atomic.Pointer[chan int]
	none := (chan int)(nil)
	current.Store(&none)
	made := make(chan int)
	if right {
		current.Store(&made)
	}
	go func() { <-*current.Load() }()
	current.Store(&made)
	close(made)
}

func TestWrongLeakNil(t *testing.T) { wrong(t); leakNil(t, false) }
func TestRightLeakNil(t *testing.T) { leakNil(t, true) }

// Goroutines that are left behind, and can go on.

// queue is a pool of workers that stays.
var queue struct {
	sync.Once
	jobs chan func()
}

func TestRightLeftPool(t *testing.T) {
	queue.Do(func() {
		queue.jobs = make(chan func())
		for range 2 {
			go func() {
				for f := range queue.jobs {
					f()
				}
			}()
		}
	})
	done := make(chan struct{})
	queue.jobs <- func() { close(done) }
	<-done
}

func TestRightLeftTimers(*testing.T) {
	go func() {
		select {
		case <-time.After(time.Hour):
		case <-make(chan int):
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	_ = cancel
	go func() { <-ctx.Done() }()
	wake := make(chan int)
	time.AfterFunc(time.Hour, func() { close(wake) })
	go func() { <-wake }()
	go func() {
		for range time.Tick(time.Hour) {
		}
	}()
	go time.Sleep(time.Hour)
}

// A sender is stopped when nobody has what it serves any more.
func TestRightLeftFinalizer(*testing.T) {
	type served struct{ stop chan struct{} }
	s := &served{make(chan struct{})}
	stop := s.stop
	runtime.SetFinalizer(s, func(s *served) { close(s.stop) })
	go func() { <-stop }()
	other := new([16]int)
	c := make(chan int)
	runtime.AddCleanup(other, func(c chan int) { close(c) }, c)
	go func() { <-c }()
}

func TestRightLeftCleanup(t *testing.T) {
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() { <-stop }()
	go func() { <-t.Context().Done() }()
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		go func() { <-stop }()
	})
}

func TestRightLeftInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := make(chan int)
	go func() {
		var buf [1]byte
		r.Read(buf[:])
		close(c)
	}()
	go func() { <-c }()
	keptOpen = append(keptOpen, w)
}

var keptOpen []*os.File

// Who has the weak pointer may still ask for the channel.
func TestRightLeftWeak(*testing.T) {
	c := &struct{ stop chan int }{make(chan int)}
	keptWeak = weak.Make(c)
	go func() {
		<-c.stop
		runtime.KeepAlive(c)
	}()
}

var keptWeak weak.Pointer[struct{ stop chan int }]

// It waits on purpose.
func TestRightLeftForEver(*testing.T) {
	go func() { select {} }()
}

// What it waits for comes when the test is over.
func TestRightLeftBusy(*testing.T) {
	c := make(chan int)
	go func() { <-c }()
	go func() {
		var mu sync.Mutex
		for range 50 {
			mu.Lock()
			mu.Unlock() //lint:ignore SA2001 what matters is to take it
		}
		c <- 1
	}()
}

// TestLeakAndLose leaks a goroutine by any schedule, and loses an update by a rare one.
func TestLeakAndLose(t *testing.T) {
	wrong(t)
	go func() { <-make(chan int) }()
	var n atomic.Int32
	add := func() { n.Store(n.Load() + 1) }
	together(add, add)
	if n.Load() != 2 {
		t.Errorf("an update is lost: %d", n.Load())
	}
}
