// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkacts

import (
	"sync"
	"testing"
)

// A cache is a map of which the methods check, and then act.
type cache struct {
	m  sync.Map
	mu sync.Mutex
}

// get makes what is not there.
func (c *cache) get(pause func()) any {
	if v, ok := c.m.Load("k"); ok {
		return v
	}
	v := new(int)
	pause()
	c.m.Store("k", v)
	return v
}

func (c *cache) doGet(pause func()) { c.get(pause) }

func (c *cache) set() { c.m.Store("k", "other") }

func TestRaceGetBetweenSet(*testing.T) { c := new(cache); between(c.doGet, c.set) }
func TestRaceGetAfterSet(*testing.T)   { c := new(cache); after(c.doGet, c.set) }

func TestRaceGetBetweenGet(*testing.T) {
	c := new(cache)
	between(c.doGet, func() { c.get(nothing) })
}

func TestRaceGetAfterGet(*testing.T) {
	c := new(cache)
	after(c.doGet, func() { c.get(nothing) })
}

func TestNoRaceGetHit(*testing.T) {
	c := new(cache)
	c.set()
	after(c.doGet, func() { c.get(nothing) })
}

// Whoever wins, the winner's value is lost.
func TestRaceGetBetweenLoadOrStore(*testing.T) {
	c := new(cache)
	between(c.doGet, func() { c.m.LoadOrStore("k", "other") })
}

func TestNoRaceGetOtherKey(*testing.T) {
	c := new(cache)
	between(c.doGet, func() { c.m.Store("other", 1) })
}

// getOnce is get mended.
func (c *cache) getOnce(pause func()) {
	if _, ok := c.m.Load("k"); ok {
		return
	}
	pause()
	c.m.LoadOrStore("k", new(int))
}

func TestNoRaceGetOnce(*testing.T) {
	c := new(cache)
	between(c.getOnce, func() { c.getOnce(nothing) })
}

// getLocked is get mended, too.
func (c *cache) getLocked(pause func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.m.Load("k"); !ok {
		pause()
		c.m.Store("k", new(int))
	}
}

func TestNoRaceGetLocked(*testing.T) {
	c := new(cache)
	after(c.getLocked, func() { c.getLocked(nothing) })
}

// getDouble looks again under the lock. The first look is in a race with the Store, as plain as any, but no check is broken.
func (c *cache) getDouble(pause func()) {
	if _, ok := c.m.Load("k"); ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.m.Load("k"); !ok {
		pause()
		c.m.Store("k", new(int))
	}
}

func TestNoRaceGetDouble(*testing.T) {
	c := new(cache)
	after(c.getDouble, func() { c.getDouble(nothing) })
}

func TestRacePlainGetDoubleBetween(*testing.T) {
	c := new(cache)
	var looked, done flag
	both(func() {
		c.m.Load("k") // as getDouble, first
		looked.raise()
		done.await()
		c.getDouble(nothing)
	}, func() {
		looked.await()
		c.getDouble(nothing)
		done.raise()
	})
}

// The other goroutine answers a question: what it does is meant to come in between.
func TestNoRaceHandshake(*testing.T) {
	c := new(cache)
	ask, answer := make(chan bool), make(chan bool)
	both(func() {
		c.doGet(func() {
			ask <- true
			<-answer
		})
	}, func() {
		<-ask
		c.set()
		answer <- true
	})
}

// That is answered, but something else is done as well, which nothing orders.
func TestRaceHandshakeAndMore(*testing.T) {
	c := new(cache)
	ask := make(chan bool)
	var set flag
	both(func() {
		c.doGet(func() {
			ask <- true
			set.await()
		})
	}, func() {
		<-ask
		c.set()
		set.raise()
	})
}

// Both compute with a counter that orders them in part.
func TestRaceComputeWithCounter(*testing.T) {
	c := new(cache)
	var mu sync.Mutex
	computed := 0
	count := func() {
		mu.Lock()
		computed++
		mu.Unlock()
	}
	between(func(pause func()) {
		c.doGet(func() {
			count()
			pause()
		})
	}, func() { c.get(count) })
}

// increment loads and stores.
func (c *cache) increment(pause func()) {
	n := 0
	if v, ok := c.m.Load("n"); ok {
		n = v.(int)
	}
	pause()
	c.m.Store("n", n+1)
}

func TestRaceIncrementBetween(*testing.T) {
	c := new(cache)
	c.m.Store("n", 7)
	between(c.increment, func() { c.increment(nothing) })
}

func TestRaceIncrementAfter(*testing.T) {
	c := new(cache)
	c.m.Store("n", 7)
	after(c.increment, func() { c.increment(nothing) })
}

func (c *cache) incrementCAS(pause func()) {
	for {
		v, ok := c.m.Load("n")
		if !ok {
			return
		}
		pause()
		if c.m.CompareAndSwap("n", v, v.(int)+1) {
			return
		}
		pause = nothing
	}
}

func TestNoRaceIncrementCAS(*testing.T) {
	c := new(cache)
	c.m.Store("n", 7)
	between(c.incrementCAS, func() { c.incrementCAS(nothing) })
}

// expire deletes what is old.
func (c *cache) expire(pause func()) {
	if v, ok := c.m.Load("k"); ok && v == "old" {
		pause()
		c.m.Delete("k")
	}
}

func TestRaceExpireBetween(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	between(c.expire, c.set)
}

func TestRaceExpireAfter(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	after(c.expire, c.set)
}

// Who deletes what is there already deletes no more.
func TestRacePlainExpireTwice(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	between(c.expire, func() { c.m.Delete("k") })
}

func (c *cache) expireSafely(pause func()) {
	if v, ok := c.m.Load("k"); ok && v == "old" {
		pause()
		c.m.CompareAndDelete("k", v)
	}
}

func TestRacePlainExpireSafely(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	between(c.expireSafely, c.set)
}

// sweep deletes what it has collected.
func (c *cache) sweep(pause func()) {
	var dead []any
	c.m.Range(func(k, v any) bool {
		if v == "old" {
			dead = append(dead, k)
		}
		return true
	})
	pause()
	for _, k := range dead {
		c.m.Delete(k)
	}
}

func TestRaceSweepBetween(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	between(c.sweep, c.set)
}

func TestNoRaceSweepOther(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	var mu sync.Mutex
	locked := func(f func()) func() {
		return func() {
			mu.Lock()
			f()
			mu.Unlock()
		}
	}
	after(func(pause func()) { locked(func() { c.sweep(pause) })() }, locked(c.set))
}

// sweepInside deletes from inside.
func (c *cache) sweepInside(pause func()) {
	c.m.Range(func(k, v any) bool {
		if v == "old" {
			pause()
			c.m.Delete(k)
		}
		return true
	})
}

func TestRaceSweepInside(*testing.T) {
	c := new(cache)
	c.m.Store("k", "old")
	between(c.sweepInside, c.set)
}

// replace stores whatever there is; that it has looked doesn't matter.
func (c *cache) replace(pause func()) {
	c.m.Load("k")
	pause()
	c.m.Store("k", "mine")
}

func TestRacePlainReplace(*testing.T) { c := new(cache); between(c.replace, c.set) }

// look and act are two functions. A third one calls both.
func (c *cache) look() bool {
	_, ok := c.m.Load("k")
	return ok
}

func (c *cache) lookAndAct(pause func()) {
	if !c.look() {
		pause()
		c.set()
	}
}

func TestRaceTwoFunctions(*testing.T) {
	c := new(cache)
	between(c.lookAndAct, func() { c.m.Store("k", 1) })
}

// The look is by one goroutine, and the act by another.
func TestRacePlainTwoGoroutines(*testing.T) {
	c := new(cache)
	between(func(pause func()) {
		if _, ok := c.m.Load("k"); !ok {
			pause()
			done := make(chan bool)
			go func() {
				c.m.Store("k", "mine")
				close(done)
			}()
			<-done
		}
	}, c.set)
}

// What was looked at since is what counts.
func (c *cache) lookTwice(pause func()) {
	_, ok := c.m.Load("k")
	pause()
	if _, again := c.m.Load("k"); !ok && !again {
		c.m.Store("k", "mine")
	}
}

func TestRacePlainLookTwice(*testing.T) { c := new(cache); between(c.lookTwice, c.set) }

// One goroutine alone breaks nothing.
func TestNoRaceAlone(*testing.T) {
	c := new(cache)
	for range 3 {
		c.get(nothing)
		c.increment(nothing)
		c.expire(nothing)
		c.sweep(nothing)
	}
}
