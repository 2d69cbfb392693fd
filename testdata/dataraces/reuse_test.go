// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

// addresses is a set that no detector sees: a hash table with open addressing, for fewer addresses than it has places.
type addresses [1 << 13]uintptr

//go:norace
//go:noinline
func (s *addresses) place(a uintptr) *uintptr {
	i := (a >> 3) % uintptr(len(s))
	for s[i] != 0 && s[i] != a {
		i = (i + 1) % uintptr(len(s))
	}
	return &s[i]
}

//go:norace
//go:noinline
func (s *addresses) add(a uintptr) { *s.place(a) = a }

//go:norace
//go:noinline
func (s *addresses) has(a uintptr) bool { return *s.place(a) == a }

// An inhabitant is a type of object that is allocated where another was.
type inhabitant interface {
	// leave allocates objects, writes them, forgets most and adds their addresses to gone.
	leave(gone *addresses) (stay any)
	// enter allocates objects and writes them, until some have been at addresses that are gone.
	enter(gone *addresses) bool
}

type of[T any] struct{ count int }

func (o of[T]) leave(gone *addresses) any {
	var stay []*T
	for i := range o.count {
		p := new(T)
		var zero T
		if *p = zero; i%8 == 0 {
			stay = append(stay, p) // pages are not handed out anew as a whole
		} else {
			gone.add(uintptr(unsafe.Pointer(p)))
		}
	}
	return stay
}

func (o of[T]) enter(gone *addresses) bool {
	var all []*T
	hits := 0
	for range 200 * o.count {
		p := new(T)
		var zero T
		keep(*p)
		*p = zero
		if all = append(all, p); gone.has(uintptr(unsafe.Pointer(p))) {
			if hits++; hits == 20 {
				return true
			}
		}
	}
	keep(all)
	return hits > 0
}

type pointerful struct {
	_ *pointerful
	_ [5]int
}

var inhabitants = map[string]inhabitant{
	"Word":    of[[1]*int]{2000},
	"Small":   of[pointerful]{2000},
	"Noscan":  of[[6]int64]{2000},
	"Strings": of[[10]string]{1000},
	"Page":    of[[1024]*int]{200},
	"Large":   of[[9000]int64]{50},
}

// An object where another was is a new one, whoever allocates it.
func TestNoRaceReused(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(inhabitants)) {
		t.Run(name, func(t *testing.T) {
			o, gone := inhabitants[name], new(addresses)
			var stay any
			found := false
			apart(
				func() { stay = o.leave(gone); runtime.GC(); runtime.GC() },
				func() { found = o.enter(gone) },
			)
			runtime.KeepAlive(stay)
			if !found {
				t.Error("no object was allocated where another had been")
			}
		})
	}
}

// Many generations of objects, of many goroutines.
func TestNoRaceReusedOften(t *testing.T) {
	churn := func() {
		for range 300 {
			c := new(cargo)
			c.load()
			c.unload()
			b := new(int8) // shares its block with others
			*b = 1
			keep(make([]int32, 1000))
			keep(append([]byte("abc"), string(make([]byte, 50))...))
		}
	}
	for range 10 {
		apart(churn, runtime.GC, churn, runtime.GC, churn)
	}
	together(churn, churn, runtime.GC, debug.FreeOSMemory, churn)
}

// Slices, maps and channels leave their old memory behind when they grow or go.
func TestNoRaceReusedByContainers(t *testing.T) {
	grow := func() {
		var list []*int
		table := make(map[int]string)
		for i := range 2000 {
			list = append(list, &i)
			table[i] = "a"
			c := make(chan cargo, 3)
			c <- cargo{}
			keep(<-c)
		}
		keep(list)
		clear(table)
	}
	for range 3 {
		apart(grow, runtime.GC, grow)
	}
	together(grow, runtime.GC, grow)
}

// That the collector has run means nothing to an object that lives.
func TestRaceAcrossCollection(t *testing.T) {
	p := make(pairs)
	for name, n := range map[string]int{"Once": 1, "Often": 5} {
		p[name] = func() (a, b func()) {
			c := new(cargo)
			collect := func() {
				for range n {
					runtime.GC()
				}
			}
			return func() { c.load(); collect() }, func() { collect(); c.unload() }
		}
	}
	p["FreeOSMemory"] = func() (a, b func()) {
		c := new(cargo)
		return func() { c.load(); debug.FreeOSMemory() }, c.unload
	}
	p["Churn"] = func() (a, b func()) {
		c := new(cargo)
		churn := func() {
			for range 20000 {
				keep(new(cargo))
			}
		}
		return func() { c.load(); churn() }, func() { churn(); c.unload() }
	}
	p.races(t)
}

// An object at an old address can be raced on.
func TestRaceReused(t *testing.T) {
	for range 3 {
		for range 1000 {
			new(cargo).load()
		}
		runtime.GC()
	}
	c := make([]*cargo, 1000)
	for i := range c {
		c[i] = new(cargo)
	}
	use := func() {
		for i := 0; i < len(c); i += 100 {
			c[i].load()
		}
	}
	apart(use, use)
}

// A free list without a lock hands one object to two.
func TestRaceFreeList(t *testing.T) {
	free := new(cargo)
	use := func() {
		c := free
		c.load()
		free = c
	}
	apart(use, use)
}

func TestNoRaceFreeList(t *testing.T) {
	free := make(chan *cargo, 3)
	use := func() {
		for range 20 {
			var c *cargo
			select {
			case c = <-free:
			default:
				c = new(cargo)
			}
			c.load()
			select {
			case free <- c:
			default:
			}
		}
	}
	apart(use, use)
	together(use, use, use)
}

// poolEdge is a Put that comes before the Get of the same value. A detector's Pool drops values at random, so both
// sides try until it has worked.
func poolEdge(*testing.T) edge {
	p := new(sync.Pool)
	var taken flag
	return edge{
		func() { until(func() bool { p.Put(new(int)); return taken.raised() }) },
		func() { until(func() bool { return p.Get() != nil }); taken.raise() },
	}
}

func TestRacePool(t *testing.T)   { edges{"PutGet": poolEdge}.races(t) }
func TestNoRacePool(t *testing.T) { edges{"PutGet": poolEdge}.ordered(t) }

// Who gets an object owns it.
func TestNoRacePoolHandover(t *testing.T) {
	p := sync.Pool{New: func() any { return new(cargo) }}
	use := func() {
		for i := range 200 {
			c := p.Get().(*cargo)
			c.number = 0
			c.load()
			c.unload()
			p.Put(c)
			if i%50 == 0 {
				runtime.GC() // empties it, in two steps
			}
		}
	}
	apart(use, use)
	together(use, use, use)
}

// Who has put it back doesn't.
func TestRacePoolKept(t *testing.T) {
	var p sync.Pool
	var taken, over flag
	c := new(cargo)
	together(
		func() {
			until(func() bool { p.Put(c); return taken.raised() })
			c.load()
			over.raise()
		},
		func() {
			var got *cargo
			until(func() bool { got, _ = p.Get().(*cargo); return got != nil })
			taken.raise()
			over.await()
			got.load()
		},
	)
}
