// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"errors"
	"runtime"
	"sync"
	"testing"
)

var errOwn = errors.New("own")

// descend calls f under n frames, of which every third has a deferred call.
//
//go:noinline
func descend(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	if n%3 == 0 {
		defer keep(n)
	}
	descend(n-1, f)
	keep(n)
}

// none is the zero value of a type.
func none[T any]() (v T) { return v }

// failing are functions that end unusually, and a recover that goes with them.
var failing = map[string]func(){
	"Panic":    func() { panic(errOwn) },
	"Index":    func() { var s []int; keep(s[len(s)]) },
	"Nil":      func() { var p *large; keep(p.body[3]) },
	"NilMap":   func() { none[map[string]int]()["a"] = 1 },
	"Assert":   func() { var i any = 1; keep(i.(string)) },
	"Divide":   func() { n := 0; keep(1 / (n * len(errOwn.Error()))) },
	"Close":    func() { c := make(chan int); close(c); close(c) },
	"Deep":     func() { descend(100, func() { panic(errOwn) }) },
	"Deferred": func() { defer func() { panic(errOwn) }(); keep(1) },
	"Twice": func() {
		defer func() { panic(recover()) }()
		panic(errOwn)
	},
	"Replaced": func() {
		defer func() { panic("second") }()
		panic("first")
	},
	"Returned": func() {},
}

// recovered runs a function and catches its panic, some frames up.
func recovered(f func()) {
	defer func() { keep(recover()) }()
	descend(5, f)
}

// What comes after a recover, before it, and in the deferred function is watched like all else.
func TestRaceRecover(t *testing.T) {
	for name, fail := range failing {
		pairs{
			name: func() (a, b func()) {
				c := new(cargo)
				return func() { recovered(fail); c.load() }, func() { recovered(fail); c.unload() }
			},
			name + "/Before": func() (a, b func()) {
				c := new(cargo)
				return func() { recovered(func() { c.load(); fail() }) }, c.unload
			},
			name + "/Inside": func() (a, b func()) {
				c := new(cargo)
				return func() { recovered(func() { defer c.load(); fail() }) }, c.unload
			},
			name + "/InRecovering": func() (a, b func()) {
				c := new(cargo)
				return func() {
					defer func() { keep(recover()); c.load() }()
					descend(3, fail)
				}, c.unload
			},
		}.races(t)
	}
}

func TestNoRaceRecover(t *testing.T) {
	for name, fail := range failing {
		t.Run(name, func(*testing.T) {
			var mu sync.Mutex
			c := new(cargo)
			use := func() {
				recovered(func() {
					mu.Lock()
					defer mu.Unlock()
					c.load()
					defer c.load()
					fail()
				})
			}
			apart(use, use)
			together(use, use, use)
		})
	}
}

// A recover may be followed by any number of others.
func TestRaceRecoverOften(t *testing.T) {
	c := new(cargo)
	use := func() {
		for range 3000 {
			recovered(failing["Panic"])
		}
		c.load()
	}
	apart(use, use)
}

func TestNoRaceRecoverOften(t *testing.T) {
	c := new(cargo)
	use := func() {
		for range 3000 {
			recovered(failing["Panic"])
		}
		c.load()
	}
	inTurn(use, use)
}

// A goroutine that ends itself runs what it has deferred.
func TestNoRaceGoexit(t *testing.T) {
	t.Run("WaitGroup", func(*testing.T) {
		c := new(cargo)
		var all sync.WaitGroup
		all.Add(1)
		go func() {
			defer all.Done()
			defer c.load()
			descend(10, runtime.Goexit)
		}()
		all.Wait()
		c.unload()
	})
	t.Run("Lock", func(*testing.T) {
		c := new(cargo)
		var mu sync.Mutex
		use := func() {
			mu.Lock()
			defer mu.Unlock()
			c.load()
			runtime.Goexit()
		}
		together(use, use, use)
	})
	t.Run("InRecovering", func(*testing.T) {
		c, done := new(cargo), make(chan int)
		go func() {
			defer close(done)
			defer c.load()
			defer runtime.Goexit()
			panic(errOwn)
		}()
		<-done
		c.unload()
	})
}

func TestRaceGoexit(t *testing.T) {
	t.Run("Ended", func(*testing.T) {
		c := new(cargo)
		var ended flag
		go func() {
			defer ended.raise()
			descend(10, func() { c.load(); runtime.Goexit() })
		}()
		ended.await()
		c.unload()
	})
	t.Run("Deferred", func(*testing.T) {
		c := new(cargo)
		var ended flag
		go func() {
			defer ended.raise()
			defer c.load()
			descend(10, runtime.Goexit)
		}()
		ended.await()
		c.unload()
	})
	t.Run("Siblings", func(*testing.T) {
		c := new(cargo)
		var first, second flag
		go func() { defer first.raise(); defer c.load(); runtime.Goexit() }()
		first.await()
		go func() { defer second.raise(); defer c.load(); runtime.Goexit() }()
		second.await()
	})
}

// An access at the bottom of a deep recursion is one like others.
func TestRaceDeep(t *testing.T) {
	for name, depth := range map[string]int{"Ten": 10, "Hundred": 100, "Thousands": 9000} {
		pairs{
			name: func() (a, b func()) {
				c := new(cargo)
				return func() { descend(depth, c.load) }, func() { descend(depth/2, c.load) }
			},
			name + "/After": func() (a, b func()) {
				c := new(cargo)
				return func() { descend(depth, func() {}); c.load() }, func() { descend(depth, func() {}); c.unload() }
			},
			name + "/Recovered": func() (a, b func()) {
				c := new(cargo)
				fall := func() { recovered(func() { descend(depth, failing["Panic"]) }) }
				return func() { fall(); c.load() }, func() { fall(); c.unload() }
			},
			name + "/Deferred": func() (a, b func()) {
				c := new(cargo)
				return func() { deferAll(depth, c) }, func() { c.unload() }
			},
		}.races(t)
	}
}

// deferAll writes while its frames are left.
func deferAll(n int, c *cargo) {
	if n > 0 {
		defer func() { c.number++ }()
		deferAll(n-1, c)
	}
}

func TestNoRaceDeep(t *testing.T) {
	c := new(cargo)
	use := func() { descend(9000, c.load); deferAll(3000, c) }
	inTurn(use, use, use)
	own := func() { c := new(cargo); descend(9000, c.load); deferAll(3000, c) }
	together(own, own, own)
}
