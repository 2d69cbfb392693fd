// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// lostWakeup looks at a flag, and then waits to be told of it: whoever sets the flag in between
// tells nobody.
func lostWakeup(_ *testing.T, right bool) {
	var mu sync.Mutex
	var ready atomic.Bool
	cond := sync.NewCond(&mu)
	together(func() {
		mu.Lock()
		for !ready.Load() {
			cond.Wait()
		}
		mu.Unlock()
	}, func() {
		if right {
			mu.Lock()
			defer mu.Unlock()
		}
		ready.Store(true)
		cond.Signal()
	})
}

func TestWrongLostWakeup(t *testing.T) { wrong(t); lostWakeup(t, false) }
func TestRightLostWakeup(t *testing.T) { lostWakeup(t, true) }

// wrongCond goes on after Wait without a look whether there is something.
func wrongCond(t *testing.T, right bool) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	items := 0
	taken := make(chan struct{}, 2)
	take := func() {
		defer func() { taken <- struct{}{} }()
		mu.Lock()
		defer mu.Unlock()
		if right {
			for items == 0 {
				cond.Wait()
			}
		} else if items == 0 {
			cond.Wait()
		}
		if items == 0 {
			t.Error("there is nothing to take")
			return
		}
		items--
	}
	put := func() {
		mu.Lock()
		items++
		mu.Unlock()
		cond.Signal()
	}
	together(take, take, func() {
		put()
		<-taken
		put()
	})
}

func TestWrongCond(t *testing.T) { wrong(t); wrongCond(t, false) }
func TestRightCond(t *testing.T) { wrongCond(t, true) }

// waitGroup adds to a WaitGroup in the goroutine that is waited for.
func waitGroup(t *testing.T, right bool) {
	var wg sync.WaitGroup
	var done atomic.Bool
	enter := func() { wg.Add(1) }
	if right {
		enter()
	}
	go func() {
		if !right {
			enter()
		}
		done.Store(true)
		wg.Done()
	}()
	if !right {
		another := make(chan bool, 1)
		another <- true // something else is done meanwhile
	}
	wg.Wait()
	if !done.Load() {
		t.Error("nobody has waited")
	}
}

func TestWrongWaitGroup(t *testing.T) { wrong(t); waitGroup(t, false) }
func TestRightWaitGroup(t *testing.T) { waitGroup(t, true) }

// doubleClose looks whether a channel is closed, and closes it.
func doubleClose(_ *testing.T, right bool) {
	c := make(chan struct{})
	var mu sync.Mutex
	stop := func() {
		if right {
			mu.Lock()
			defer mu.Unlock()
		}
		select {
		case <-c:
		default:
			close(c)
		}
	}
	var failed atomic.Value
	guarded := func() {
		defer func() {
			if err := recover(); err != nil {
				failed.Store(err)
			}
		}()
		stop()
	}
	together(guarded, guarded)
	if err := failed.Load(); err != nil {
		panic(err)
	}
}

func TestWrongDoubleClose(t *testing.T) { wrong(t); doubleClose(t, false) }
func TestRightDoubleClose(t *testing.T) { doubleClose(t, true) }

// sendClosed sends to a channel that may be closed since it has looked.
func sendClosed(_ *testing.T, right bool) {
	c := make(chan int, 1)
	var mu sync.Mutex
	var closed atomic.Bool
	together(func() {
		if right {
			mu.Lock()
			defer mu.Unlock()
		}
		if !closed.Load() {
			c <- 1
		}
	}, func() {
		if right {
			mu.Lock()
			defer mu.Unlock()
		}
		closed.Store(true)
		close(c)
	})
}

func TestWrongSendClosed(t *testing.T) { wrong(t); sendClosed(t, false) }
func TestRightSendClosed(t *testing.T) { sendClosed(t, true) }

// dropped tells a goroutine something, unless that is not ready to hear it.
func dropped(_ *testing.T, right bool) {
	size := 0
	if right {
		size = 1
	}
	c := make(chan struct{}, size)
	var work atomic.Int32
	together(func() {
		if work.Load() == 0 {
			<-c
		}
	}, func() {
		work.Add(1)
		select {
		case c <- struct{}{}:
		default:
		}
	})
}

func TestWrongDropped(t *testing.T) { wrong(t); dropped(t, false) }
func TestRightDropped(t *testing.T) { dropped(t, true) }

// length looks whether a channel has something, and then takes it.
func length(_ *testing.T, right bool) {
	c := make(chan int, 2)
	c <- 1
	take := func() {
		if right {
			select {
			case <-c:
			default:
			}
			return
		}
		var mu sync.Mutex // of its own: it guards nothing
		mu.Lock()
		n := len(c)
		mu.Unlock()
		if n > 0 {
			<-c
		}
	}
	together(take, take)
}

func TestWrongLength(t *testing.T) { wrong(t); length(t, false) }
func TestRightLength(t *testing.T) { length(t, true) }

// sleepOrder takes a sleep for an order.
func sleepOrder(t *testing.T, right bool) {
	var done atomic.Bool
	ready := make(chan struct{})
	go func() {
		time.Sleep(10 * time.Millisecond)
		done.Store(true)
		close(ready)
	}()
	if right {
		<-ready
	} else {
		time.Sleep(10 * time.Millisecond)
	}
	if !done.Load() {
		t.Error("it is not done after 10 ms")
	}
	<-ready
}

func TestWrongSleepOrder(t *testing.T) { wrong(t); sleepOrder(t, false) }
func TestRightSleepOrder(t *testing.T) { sleepOrder(t, true) }

// rescue gives up after a time, and forgets that the result may come with it.
func rescue(t *testing.T, right bool) {
	result := make(chan int, 1)
	go func() {
		time.Sleep(time.Second)
		result <- 1
	}()
	select {
	case <-result:
	case <-time.After(time.Second):
		if !right && len(result) > 0 {
			t.Error("there is a result, and it is not taken")
		}
	}
}

func TestWrongRescue(t *testing.T) { wrong(t); rescue(t, false) }
func TestRightRescue(t *testing.T) { rescue(t, true) }
