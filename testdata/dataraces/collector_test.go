// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"runtime"
	"testing"
	"unique"
	"weak"
)

// node has a pointer, so that it isn't put into a block with others, which would keep it alive.
type node struct {
	_ *node
	c *cargo
}

// collect forces garbage collections until the flag is up.
func collect(f *flag) {
	until(func() bool { runtime.GC(); return f.raised() })
}

// A finalizer and a cleanup come after they were asked for, and after what comes before the object's last use.
func TestNoRaceCollected(t *testing.T) {
	t.Run("Finalizer", func(*testing.T) {
		c := new(cargo)
		var ran flag
		func() {
			n := &node{c: c}
			c.load()
			runtime.SetFinalizer(n, func(n *node) { n.c.load(); ran.raise() })
		}()
		collect(&ran)
	})
	t.Run("FinalizerThenChannel", func(*testing.T) {
		c, done := new(cargo), make(chan int, 1)
		var ran flag
		runtime.SetFinalizer(new(node), func(*node) { c.load(); done <- 1; ran.raise() })
		collect(&ran)
		<-done
		c.unload()
	})
	t.Run("Cleanup", func(*testing.T) {
		c := new(cargo)
		var ran flag
		c.load()
		runtime.AddCleanup(new(node), func(c *cargo) { c.load(); ran.raise() }, c)
		collect(&ran)
	})
	t.Run("CleanupThenChannel", func(*testing.T) {
		c, done := new(cargo), make(chan int, 1)
		var ran flag
		runtime.AddCleanup(new(node), func(int) { c.load(); done <- 1; ran.raise() }, 1)
		collect(&ran)
		<-done
		c.unload()
	})
	t.Run("Resurrected", func(*testing.T) {
		back := make(chan *node, 1)
		var ran flag
		func() {
			n := &node{c: new(cargo)}
			n.c.load()
			runtime.SetFinalizer(n, func(n *node) { n.c.load(); back <- n; ran.raise() })
		}()
		collect(&ran)
		(<-back).c.load()
	})
}

// meanwhile loads a cargo while the function that it gives to start is running, which unloads it.
func meanwhile(start func(f func())) {
	c := new(cargo)
	var running, loaded, ran flag
	start(func() { running.raise(); loaded.await(); c.unload(); ran.raise() })
	together(
		func() { collect(&running) },
		func() { running.await(); c.load(); loaded.raise() },
	)
	ran.await()
}

func TestRaceCollected(t *testing.T) {
	t.Run("Finalizer", func(*testing.T) {
		meanwhile(func(f func()) { runtime.SetFinalizer(new(node), func(*node) { f() }) })
	})
	t.Run("Cleanup", func(*testing.T) {
		meanwhile(func(f func()) { runtime.AddCleanup(new(node), func(int) { f() }, 1) })
	})
	t.Run("AfterFinalizer", func(*testing.T) {
		c := new(cargo)
		var ran flag
		runtime.SetFinalizer(new(node), func(*node) { c.load(); ran.raise() })
		collect(&ran)
		c.unload()
	})
	t.Run("AfterCleanup", func(*testing.T) {
		c := new(cargo)
		var ran flag
		runtime.AddCleanup(new(node), func(int) { c.load(); ran.raise() }, 1)
		collect(&ran)
		c.unload()
	})
}

// A weak pointer is one to the same memory, and orders nothing.
func TestRaceWeak(t *testing.T) {
	pairs{
		"Both": func() (a, b func()) {
			c := new(cargo)
			w := weak.Make(c)
			return func() { w.Value().load(); runtime.KeepAlive(c) }, func() { w.Value().unload(); runtime.KeepAlive(c) }
		},
		"One": func() (a, b func()) {
			c := new(cargo)
			w := weak.Make(c)
			return c.load, func() { w.Value().unload(); runtime.KeepAlive(c) }
		},
		"Made": func() (a, b func()) {
			c := new(cargo)
			use := func() { w := weak.Make(c); w.Value().load(); runtime.KeepAlive(c) }
			return use, use
		},
	}.races(t)
}

func TestNoRaceWeak(t *testing.T) {
	t.Run("Ordered", func(*testing.T) {
		c := new(cargo)
		w := weak.Make(c)
		inTurn(func() { w.Value().load() }, runtime.GC, func() { w.Value().unload(); runtime.KeepAlive(c) })
	})
	t.Run("Gone", func(*testing.T) {
		w := weak.Make(&node{c: new(cargo)})
		use := func() {
			runtime.GC()
			if n := w.Value(); n != nil {
				keep(n.c)
			}
		}
		apart(use, use)
	})
	t.Run("Cache", func(*testing.T) {
		c := make(chan weak.Pointer[cargo], 1)
		c <- weak.Make(new(cargo))
		use := func() {
			w := <-c
			p := w.Value()
			if p == nil {
				p = new(cargo)
			}
			p.load()
			runtime.GC()
			p.unload()
			c <- weak.Make(p)
		}
		apart(use, use, use)
		together(use, use, use)
	})
}

// Equal values are made unique in one place.
func TestNoRaceUnique(t *testing.T) {
	use := func() {
		for i := range 100 {
			h := unique.Make(small{int8(i), 1, "a"})
			keep(h.Value().b)
		}
	}
	apart(use, use)
	together(use, runtime.GC, use)
}
