// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"container/list"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/commutego/commute/testdata/transactions/script"
)

// Here the second goroutine can't come earlier: it depends on what the first does after its first section. Each has a
// faulty twin, in which it depends on what was before.

// ordered runs the transaction, and signal after or before it, and what waits for that and interferes.
func ordered(after bool, signal, wait func()) {
	var a account
	var wg sync.WaitGroup
	var turn flag
	wg.Go(func() {
		if !after {
			signal()
		}
		a.incrementIf(1)
		if after {
			signal()
		}
		turn.raise()
	})
	wg.Go(func() {
		wait()
		turn.await()
		a.set(5)
	})
	wg.Wait()
}

func orderings() map[string]func(after bool) {
	return map[string]func(bool){
		"Unbuffered": func(after bool) { c := make(chan int); ordered(after, func() { c <- 1 }, func() { <-c }) },
		"Buffered":   func(after bool) { c := make(chan int, 1); ordered(after, func() { c <- 1 }, func() { <-c }) },
		"Close":      func(after bool) { c := make(chan int); ordered(after, func() { close(c) }, func() { <-c }) },
		"WaitGroup": func(after bool) {
			var wg sync.WaitGroup
			wg.Add(1)
			ordered(after, wg.Done, wg.Wait)
		},
		"Atomic": func(after bool) {
			var x atomic.Int32
			ordered(after, func() { x.Store(1) }, func() {
				for x.Load() == 0 {
					time.Sleep(time.Microsecond)
				}
			})
		},
		"CompareAndSwap": func(after bool) {
			var x int32
			ordered(after, func() { atomic.CompareAndSwapInt32(&x, 0, 1) }, func() {
				for !atomic.CompareAndSwapInt32(&x, 1, 2) {
					time.Sleep(time.Microsecond)
				}
			})
		},
		"Script": func(after bool) {
			var s script.Script
			ordered(after, func() { s.Done("it") }, func() { s.Await("it") })
		},
		"SyncMap": func(after bool) {
			var m sync.Map
			ordered(after, func() { m.LoadOrStore(1, 1) }, func() {
				for _, ok := m.Load(1); !ok; _, ok = m.Load(1) {
					time.Sleep(time.Microsecond)
				}
			})
		},
		"Variable": func(after bool) {
			var it account
			ordered(after, func() { it.set(1) }, func() {
				for it.get() == 0 {
					time.Sleep(time.Microsecond)
				}
			})
		},
		"Cond": func(after bool) {
			var mu sync.Mutex
			c, up := sync.NewCond(&mu), false
			ordered(after, func() { mu.Lock(); up = true; c.Broadcast(); mu.Unlock() }, func() {
				mu.Lock()
				for !up {
					c.Wait()
				}
				mu.Unlock()
			})
		},
		"Timer": func(after bool) {
			c := make(chan int)
			ordered(after, func() { time.AfterFunc(time.Microsecond, func() { close(c) }) }, func() { <-c })
		},
		"TimerChannel": func(after bool) {
			timer := time.NewTimer(time.Hour)
			ordered(after, func() { timer.Reset(time.Microsecond) }, func() { <-timer.C })
		},
		"Third": func(after bool) {
			var it, other account
			var told flag
			var wg sync.WaitGroup
			wg.Go(func() {
				for it.get() == 0 {
					time.Sleep(time.Microsecond)
				}
				other.set(1)
				told.raise()
			})
			ordered(after, func() { it.set(1) }, func() {
				told.await()
				if other.get() == 0 {
					panic("not told")
				}
			})
			wg.Wait()
		},
	}
}

func TestNoRacePredictedOrder(t *testing.T) {
	for name, f := range orderings() {
		t.Run(name, func(t *testing.T) { f(true) })
	}
}

func TestRacePredictedOrder(t *testing.T) {
	for name, f := range orderings() {
		t.Run(name, func(t *testing.T) { thrice(func() { f(false) }) })
	}
}

func TestNoRacePredictedGo(t *testing.T) {
	var a account
	var wg sync.WaitGroup
	a.incrementIf(1)
	wg.Go(func() { a.set(5) })
	wg.Wait()
}

// A goroutine that is started between the two sections may come before the second.
func TestRacePredictedGo(t *testing.T) {
	thrice(func() {
		var a account
		var wg sync.WaitGroup
		var turn flag
		func() { //atomic
			if a.get() == 0 {
				wg.Go(func() { turn.await(); a.set(5) })
				a.set(1)
			}
		}()
		turn.raise()
		wg.Wait()
	})
}

// A lock that is taken tells that somebody has it.
func TestNoRacePredictedTryLock(t *testing.T) {
	var a account
	var mu sync.Mutex
	var taken, tried flag
	var wg sync.WaitGroup
	wg.Go(func() {
		a.incrementIf(1)
		mu.Lock()
		taken.raise()
		tried.await()
		mu.Unlock()
	})
	wg.Go(func() {
		taken.await()
		if !mu.TryLock() {
			a.set(5)
		}
		tried.raise()
	})
	wg.Wait()
}

// So does a channel that has no room.
func TestNoRacePredictedDefault(t *testing.T) {
	var a account
	c := make(chan int, 1)
	inTurn(func() {
		a.incrementIf(1)
		c <- 1
	}, func() {
		select {
		case c <- 1:
		default:
			a.set(5)
		}
	})
}

// Who is inside of a lock, and can't go on, keeps others out.
func TestNoRacePredictedStopped(t *testing.T) {
	var a, it account
	var mu sync.Mutex
	inTurn(func() {
		a.incrementIf(1)
		it.set(1)
	}, func() {
		mu.Lock()
		it.get()
		mu.Unlock()
	}, func() {
		mu.Lock()
		a.set(5)
		mu.Unlock()
	})
}

// Who can go on doesn't.
func TestRacePredictedNotStopped(t *testing.T) {
	thrice(func() {
		var a, it account
		var mu sync.Mutex
		inTurn(func() {
			a.incrementIf(1)
			it.set(1)
		}, func() {
			it.get()
			mu.Lock()
			defer mu.Unlock() // only the order counts
		}, func() {
			mu.Lock()
			a.set(5)
			mu.Unlock()
		})
	})
}

// What the library keeps for the two is seen too.
func TestNoRacePredictedList(t *testing.T) {
	var a account
	var mu sync.Mutex
	l := list.New()
	inTurn(func() {
		a.incrementIf(1)
		mu.Lock()
		l.PushBack(1)
		mu.Unlock()
	}, func() {
		mu.Lock()
		n := l.Len()
		mu.Unlock()
		if n > 0 {
			a.set(5)
		}
	})
}

// What was there before is another thing.
func TestRacePredictedList(t *testing.T) {
	thrice(func() {
		var a account
		var mu sync.Mutex
		l := list.New()
		l.PushBack(0)
		inTurn(func() {
			mu.Lock()
			l.PushBack(1)
			mu.Unlock()
			a.incrementIf(1)
		}, func() {
			mu.Lock()
			n := l.Len()
			mu.Unlock()
			if n > 0 {
				a.set(5)
			}
		})
	})
}

// A token goes round; each has it when the one before has given it on.
type ring struct {
	mu    sync.Mutex
	owner int
	sum   int
}

func (r *ring) mine(me int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owner == me
}

func (r *ring) give(next int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owner = next
}

// atomic
func (r *ring) turn(me int) {
	if r.mine(me) {
		r.sum += me
		r.give(me + 1)
	}
}

func TestNoRacePredictedToken(t *testing.T) {
	var r ring
	inTurn(func() { r.turn(0) }, func() { r.turn(1) }, func() { r.turn(2) })
}

// A thief doesn't look whose it is.
func TestRacePredictedToken(t *testing.T) {
	thrice(func() {
		var r ring
		inTurn(func() { r.turn(0) }, func() { r.give(7) })
	})
}
