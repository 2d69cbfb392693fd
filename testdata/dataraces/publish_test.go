// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"context"
	"sync"
	"testing"
	"time"
)

// first is the end of a function that is run once, before every other call of it returns.
func first(newOnce func(f func()) func()) func(*testing.T) edge {
	return func(*testing.T) edge {
		do := newOnce(func() {})
		var done flag
		return edge{func() { do(); done.raise() }, func() { done.await(); do() }}
	}
}

var onces = map[string]func(f func()) func(){
	"Once": func(f func()) func() {
		once := new(sync.Once)
		return func() { once.Do(f) }
	},
	"OnceFunc": sync.OnceFunc,
	"OnceValue": func(f func()) func() {
		get := sync.OnceValue(func() int { f(); return 1 })
		return func() { get() }
	},
	"OnceValues": func(f func()) func() {
		get := sync.OnceValues(func() (int, error) { f(); return 1, nil })
		return func() { _, _ = get() }
	},
	"Mutex": func(f func()) func() { // what a Once is instead of
		var mu sync.Mutex
		done := false
		return func() {
			mu.Lock()
			defer mu.Unlock()
			if !done {
				f()
				done = true
			}
		}
	},
}

func onceEdges() edges {
	e := make(edges)
	for name, newOnce := range onces {
		if name != "Mutex" {
			e[name] = first(newOnce)
		}
	}
	return e
}

// A late load is one after the first call: nothing orders it.
func TestRaceOnce(t *testing.T) { onceEdges().races(t) }

func TestNoRaceOnce(t *testing.T) {
	onceEdges().ordered(t)
	for name, newOnce := range onces {
		t.Run(name+"/Inside", func(*testing.T) {
			c := new(cargo)
			do := newOnce(c.load)
			use := func() { do(); c.unload() }
			apart(use, use, use) // the fast path
		})
		t.Run(name+"/Together", func(*testing.T) {
			c := new(cargo)
			do := newOnce(c.load)
			use := func() { do(); c.unload() }
			together(use, use, use)
		})
	}
}

func TestRaceOnceInside(t *testing.T) {
	for name, newOnce := range onces {
		t.Run(name+"/WriteAfter", func(*testing.T) {
			c := new(cargo)
			do := newOnce(c.load)
			apart(func() { do(); c.load() }, func() { do(); c.unload() })
		})
		t.Run(name+"/ReadBefore", func(*testing.T) {
			c := new(cargo)
			do := newOnce(c.load)
			apart(c.unload, func() { do(); c.unload() })
		})
	}
	t.Run("CheckedWithoutIt", func(*testing.T) {
		var once sync.Once
		var c *cargo
		do := func() { once.Do(func() { c = new(cargo) }) }
		apart(do, func() {
			if c != nil {
				do()
			}
		})
	})
}

// A call that found the work done comes before nothing.
func TestRaceOnceDone(t *testing.T) {
	for _, name := range []string{"Once", "OnceFunc", "OnceValue"} {
		t.Run(name, func(*testing.T) {
			do, c := onces[name](func() {}), new(cargo)
			do()
			apart(func() { c.load(); do() }, func() { do(); c.unload() })
		})
	}
}

// A OnceValue's result is everybody's.
func TestRaceOnceValueShared(t *testing.T) {
	get := sync.OnceValue(func() *cargo { return new(cargo) })
	apart(func() { get().load() }, func() { get().load() })
}

var contextEdges = edges{
	"Done": func(*testing.T) edge {
		ctx, cancel := context.WithCancel(context.Background())
		return edge{cancel, func() { <-ctx.Done() }}
	},
	"Err": func(*testing.T) edge {
		ctx, cancel := context.WithCancel(context.Background())
		return edge{cancel, func() { until(func() bool { return ctx.Err() != nil }) }}
	},
	"Cause": func(*testing.T) edge {
		ctx, cancel := context.WithCancelCause(context.Background())
		return edge{
			func() { cancel(context.DeadlineExceeded) },
			func() { until(func() bool { return context.Cause(ctx) != nil }) },
		}
	},
	"Child": func(*testing.T) edge {
		parent, cancel := context.WithCancel(context.Background())
		ctx, stop := context.WithTimeout(context.WithValue(parent, keyType{}, 1), time.Hour)
		return edge{cancel, func() { <-ctx.Done(); stop() }}
	},
	"AfterFunc": func(*testing.T) edge {
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan int)
		context.AfterFunc(ctx, func() { close(ran) })
		return edge{cancel, func() { <-ran }}
	},
}

func TestRaceContext(t *testing.T)   { contextEdges.races(t) }
func TestNoRaceContext(t *testing.T) { contextEdges.ordered(t) }

// A context that isn't done orders nothing; its values are for reading.
func TestRaceContextNotDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := new(cargo)
	keep(ctx.Done())
	apart(func() { c.load(); keep(ctx.Err()) }, func() { keep(ctx.Err()); c.unload() })
}

type keyType struct{}

func TestRaceContextValue(t *testing.T) {
	ctx := context.WithValue(context.Background(), keyType{}, new(cargo))
	use := func() { ctx.Value(keyType{}).(*cargo).load() }
	apart(use, use)
}

func TestNoRaceContextValue(t *testing.T) {
	c := new(cargo)
	c.load()
	ctx := context.WithValue(context.Background(), keyType{}, c)
	use := func() { ctx.Value(keyType{}).(*cargo).unload() }
	apart(use, use)
}

const soon = time.Microsecond

// started is the start of something at which somebody waits, who learns of it without an edge.
func started[T any](start func() T, wait func(T)) func(*testing.T) edge {
	return func(*testing.T) edge {
		var ready flag
		held := new(T)
		return edge{
			func() { hide(held, start()); ready.raise() },
			func() { ready.await(); wait(found(held)) },
		}
	}
}

// hide and found pass a value on in a way that no detector sees.
//
//go:norace
//go:noinline
func hide[T any](to *T, v T) { *to = v }

//go:norace
//go:noinline
func found[T any](from *T) T { return *from }

func tick(c <-chan time.Time) { <-c }

var timerEdges = edges{
	"NewTimer": started(func() <-chan time.Time { return time.NewTimer(soon).C }, tick),
	"After":    started(func() <-chan time.Time { return time.After(soon) }, tick),
	"Ticker":   started(func() <-chan time.Time { return time.NewTicker(soon).C }, tick),
	"Tick":     started(func() <-chan time.Time { return time.Tick(soon) }, tick),
	"TimerReset": func(*testing.T) edge {
		timer := time.NewTimer(time.Hour)
		return edge{func() { timer.Reset(soon) }, func() { <-timer.C }}
	},
	"TickerReset": func(*testing.T) edge {
		ticker := time.NewTicker(time.Hour)
		return edge{func() { ticker.Reset(soon) }, func() { <-ticker.C; ticker.Stop() }}
	},
	"AfterFunc": func(*testing.T) edge {
		ran := make(chan int)
		return edge{func() { time.AfterFunc(soon, func() { close(ran) }) }, func() { <-ran }}
	},
	"AfterFuncReset": func(*testing.T) edge {
		ran := make(chan int)
		timer := time.AfterFunc(time.Hour, func() { close(ran) })
		return edge{func() { timer.Reset(soon) }, func() { <-ran }}
	},
}

func TestRaceTimer(t *testing.T)   { timerEdges.races(t) }
func TestNoRaceTimer(t *testing.T) { timerEdges.ordered(t) }

// A timer's function is a goroutine like others.
func TestNoRaceAfterFunc(t *testing.T) {
	c, ran := new(cargo), make(chan int)
	c.load()
	time.AfterFunc(soon, func() { c.load(); close(ran) })
	<-ran
	c.unload()
}

func TestRaceAfterFunc(t *testing.T) {
	t.Run("Started", func(*testing.T) {
		c, ran := new(cargo), make(chan int)
		var loaded flag
		time.AfterFunc(soon, func() { loaded.await(); c.unload(); close(ran) })
		c.load()
		loaded.raise()
		<-ran
	})
	t.Run("Two", func(*testing.T) {
		c, ran := new(cargo), make(chan int, 2)
		var loaded flag
		time.AfterFunc(soon, func() { c.load(); loaded.raise(); ran <- 1 })
		time.AfterFunc(soon, func() { loaded.await(); c.unload(); ran <- 1 })
		<-ran
		<-ran
	})
	t.Run("Stopped", func(*testing.T) {
		c := new(cargo)
		var loaded flag
		timer := time.AfterFunc(soon, func() { c.load(); loaded.raise() })
		loaded.await()
		timer.Stop()
		c.unload()
	})
	t.Run("Slept", func(*testing.T) {
		c := new(cargo)
		apart(c.load, func() { time.Sleep(soon); c.unload() })
	})
}
