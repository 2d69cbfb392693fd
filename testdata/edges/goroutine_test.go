// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"iter"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestNoRaceGo(t *testing.T) {
	var o object
	var wg sync.WaitGroup
	wg.Add(1)
	o.write(1)
	go func() { defer wg.Done(); o.read() }()
	wg.Wait()
}

func TestRaceGo(t *testing.T) {
	var o object
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer wg.Done(); o.read() }()
	o.write(1)
	wg.Wait()
}

// A grandchild is ordered by two go statements.
func TestNoRaceGoTwice(t *testing.T) {
	var o object
	var wg sync.WaitGroup
	wg.Add(1)
	o.write(1)
	go func() {
		go func() { defer wg.Done(); o.read() }()
	}()
	wg.Wait()
}

// Siblings aren't ordered, not even when the first has ended before the second starts.
func TestRaceGoSiblings(t *testing.T) {
	var o object
	var ended, second flag
	go func() { o.write(1); ended.raise() }()
	ended.await()
	go func() { o.read(); second.raise() }()
	second.await()
}

// The end of a goroutine comes before nothing.
func TestRaceGoroutineEnd(t *testing.T) {
	var o object
	var ended flag
	go func() { defer ended.raise(); o.write(1) }()
	ended.await()
	o.read()
}

// Many goroutines come and go between the two calls: a detector that reuses their slots must not forget.
func TestRaceGoroutineEndReuse(t *testing.T) {
	var o object
	var ended flag
	go func() { defer ended.raise(); o.write(1) }()
	ended.await()
	for range 50 {
		var wg sync.WaitGroup
		wg.Go(func() {})
		wg.Wait()
	}
	o.read()
}

func TestRaceGosched(t *testing.T) {
	both(t, func() edge {
		var f flag
		return edge{func() { runtime.Gosched(); f.raise() }, func() { f.await(); runtime.Gosched() }}
	})
}

func TestRaceSleep(t *testing.T) {
	var o object
	together(
		func() { o.write(1) },
		func() { time.Sleep(time.Millisecond); o.read() },
	)
}

func TestNoRaceIterPull(t *testing.T) {
	var o object
	next, stop := iter.Pull(func(yield func(int) bool) {
		o.write(1)
		yield(1)
		o.read()
	})
	next()
	o.write(2)
	next()
	stop()
}

func TestRaceIterPull(t *testing.T) {
	var o object
	var written flag
	next, stop := iter.Pull(func(yield func(int) bool) {
		go func() { o.write(1); written.raise() }()
		written.await()
		yield(1)
	})
	next()
	o.read()
	stop()
}

func TestNoRaceIterPull2(t *testing.T) {
	var o object
	next, stop := iter.Pull2(func(yield func(int, int) bool) {
		o.read()
		yield(1, 2)
	})
	next()
	o.write(1)
	stop()
}

// stop runs the rest of the sequence before it returns.
func TestNoRaceIterPullStop(t *testing.T) {
	var o object
	next, stop := iter.Pull(func(yield func(int) bool) {
		defer func() { o.write(1) }()
		yield(1)
	})
	next()
	stop()
	o.read()
}

func TestNoRaceSynctestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o object
		go func() { o.write(1) }()
		synctest.Wait()
		o.read()
	})
}

func TestRaceSynctestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o object
		go func() { o.write(1) }()
		o.read()
		synctest.Wait()
	})
}

// A goroutine that blocks durably has been waited for, too.
func TestNoRaceSynctestBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o object
		c := make(chan int)
		go func() { o.write(1); <-c }()
		synctest.Wait()
		o.read()
		c <- 1
	})
}

func TestRaceSynctestSiblings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o object
		go func() { o.write(1) }()
		go func() { o.read() }()
		synctest.Wait()
	})
}
