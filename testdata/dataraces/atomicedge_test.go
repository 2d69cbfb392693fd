// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"
)

// seen waits until a look at a variable sees something.
func seen(look func() bool) func() { return func() { until(look) } }

// typedEdges are the ways in which one operation of an integer type sees another's effect.
func typedEdges[T word](newWord func() numbers[T]) edges {
	with := func(signal func(x numbers[T]), look func(x numbers[T]) bool) func(*testing.T) edge {
		return func(*testing.T) edge {
			x := newWord()
			return edge{func() { signal(x) }, seen(func() bool { return look(x) })}
		}
	}
	load := func(x numbers[T]) bool { return x.Load() == 1 }
	return edges{
		"StoreLoad": with(func(x numbers[T]) { x.Store(1) }, load),
		"SwapLoad":  with(func(x numbers[T]) { x.Swap(1) }, load),
		"AddLoad":   with(func(x numbers[T]) { x.Add(1) }, load),
		"OrLoad":    with(func(x numbers[T]) { x.Or(1) }, load),
		"HitLoad":   with(func(x numbers[T]) { x.CompareAndSwap(0, 1) }, load),
		"StoreSwap": with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return x.Swap(0) == 1 }),
		"StoreAdd":  with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return x.Add(0) == 1 }),
		"StoreAnd":  with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return x.And(1) == 1 }),
		"StoreOr":   with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return x.Or(0) == 1 }),
		"StoreHit":  with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return x.CompareAndSwap(1, 0) }),
		"StoreMiss": with(func(x numbers[T]) { x.Store(1) }, func(x numbers[T]) bool { return !x.CompareAndSwap(0, 0) }),
		"HitHit": with(func(x numbers[T]) { x.CompareAndSwap(0, 1) },
			func(x numbers[T]) bool { return x.CompareAndSwap(1, 0) }),
		"AddAdd": with(func(x numbers[T]) { x.Add(1) }, func(x numbers[T]) bool { return x.Add(0) == 1 }),
	}
}

var atomicEdges = map[string]edges{
	"Int32":   typedEdges(func() numbers[int32] { return new(atomic.Int32) }),
	"Int64":   typedEdges(func() numbers[int64] { return new(atomic.Int64) }),
	"Uint32":  typedEdges(func() numbers[uint32] { return new(atomic.Uint32) }),
	"Uint64":  typedEdges(func() numbers[uint64] { return new(atomic.Uint64) }),
	"Uintptr": typedEdges(func() numbers[uintptr] { return new(atomic.Uintptr) }),
	"Others":  otherEdges,
}

// otherEdges are those of the types without arithmetic, and of functions.
var otherEdges = edges{
	"Bool": func(*testing.T) edge {
		x := new(atomic.Bool)
		return edge{func() { x.Store(true) }, seen(x.Load)}
	},
	"Pointer": func(*testing.T) edge {
		x := new(atomic.Pointer[int])
		return edge{func() { x.Store(new(int)) }, seen(func() bool { return x.Load() != nil })}
	},
	"PointerHit": func(*testing.T) edge {
		x, p := new(atomic.Pointer[int]), new(int)
		return edge{func() { x.CompareAndSwap(nil, p) }, seen(func() bool { return x.CompareAndSwap(p, nil) })}
	},
	"Value": func(*testing.T) edge {
		x := new(atomic.Value)
		return edge{func() { x.Store("a") }, seen(func() bool { return x.Load() != nil })}
	},
	"ValueSwap": func(*testing.T) edge {
		x := new(atomic.Value)
		x.Store("a")
		return edge{func() { x.Swap("b") }, seen(func() bool { return x.CompareAndSwap("b", "c") })}
	},
	"FuncInt32": func(*testing.T) edge {
		x := new(int32)
		return edge{func() { atomic.StoreInt32(x, 1) }, seen(func() bool { return atomic.LoadInt32(x) == 1 })}
	},
	"FuncInt64": func(*testing.T) edge {
		x := new(int64)
		return edge{func() { atomic.AddInt64(x, 1) }, seen(func() bool { return atomic.CompareAndSwapInt64(x, 1, 2) })}
	},
	"FuncUint32": func(*testing.T) edge {
		x := new(uint32)
		return edge{func() { atomic.OrUint32(x, 1) }, seen(func() bool { return atomic.AndUint32(x, 3) == 1 })}
	},
	"FuncPointer": func(*testing.T) edge {
		x := new(unsafe.Pointer)
		return edge{
			func() { atomic.StorePointer(x, unsafe.Pointer(x)) },
			seen(func() bool { return atomic.LoadPointer(x) != nil }),
		}
	},
}

func eachAtomicEdge(t *testing.T, f func(e edges, t *testing.T)) {
	for _, name := range slices.Sorted(maps.Keys(atomicEdges)) {
		t.Run(name, func(t *testing.T) { f(atomicEdges[name], t) })
	}
}

func TestRaceAtomicEdge(t *testing.T)   { eachAtomicEdge(t, edges.races) }
func TestNoRaceAtomicEdge(t *testing.T) { eachAtomicEdge(t, edges.ordered) }

// What is behind a pointer that was published belongs to who loads it.
func TestNoRaceAtomicPublication(t *testing.T) {
	t.Run("Pointer", func(*testing.T) {
		var p atomic.Pointer[cargo]
		together(
			func() { c := new(cargo); c.load(); p.Store(c) },
			func() { until(func() bool { return p.Load() != nil }); p.Load().unload() },
			func() { until(func() bool { return p.Load() != nil }); p.Load().unload() },
		)
	})
	t.Run("Value", func(*testing.T) {
		var v atomic.Value
		together(
			func() { v.Store(map[string]int{"one": 1}) },
			func() { until(func() bool { return v.Load() != nil }); keep(v.Load().(map[string]int)["one"]) },
		)
	})
	t.Run("CopyOnWrite", func(*testing.T) {
		var p atomic.Pointer[[]int]
		p.Store(new([]int))
		add := func() {
			for i := range 20 {
				for {
					old := p.Load()
					list := append(slices.Clip(*old), i)
					if p.CompareAndSwap(old, &list) {
						break
					}
				}
			}
		}
		together(add, add, add, func() { keep(slices.Max(append(*p.Load(), 0))) })
	})
	t.Run("Stack", func(*testing.T) {
		var top atomic.Pointer[link]
		push := func() {
			for i := range 20 {
				l := &link{value: i}
				for {
					l.next = top.Load()
					if top.CompareAndSwap(l.next, l) {
						break
					}
				}
			}
		}
		pop := func() {
			for range 20 {
				if l := top.Load(); l != nil && top.CompareAndSwap(l, l.next) {
					keep(l.value)
				}
			}
		}
		together(push, pop, push, pop)
	})
	t.Run("SpinLock", func(*testing.T) {
		var lock atomic.Bool
		c := new(cargo)
		section := func() {
			for range 20 {
				until(func() bool { return lock.CompareAndSwap(false, true) })
				c.load()
				lock.Store(false)
			}
		}
		together(section, section, section)
	})
	t.Run("ReferenceCount", func(*testing.T) {
		var count atomic.Int32
		count.Store(3)
		c := [3]cargo{}
		leave := func(i int) func() {
			return func() {
				if c[i].load(); count.Add(-1) == 0 {
					c[0].unload()
					c[1].unload()
					c[2].unload()
				}
			}
		}
		together(leave(0), leave(1), leave(2))
	})
	t.Run("Chain", func(*testing.T) {
		var x atomic.Int32
		c := new(cargo)
		together(
			func() { c.load(); x.Store(1) },
			func() { until(func() bool { return x.CompareAndSwap(1, 2) }) },
			func() { until(func() bool { return x.Load() == 2 }); c.unload() },
		)
	})
	t.Run("SequenceLock", func(*testing.T) {
		var sequence, one, two atomic.Int64
		together(
			func() {
				for i := range int64(20) {
					sequence.Add(1)
					one.Store(i)
					two.Store(i)
					sequence.Add(1)
				}
			},
			func() { keep(sequence.Load() + one.Load() - two.Load()) },
		)
	})
}

type link struct {
	value int
	next  *link
}

func TestRaceAtomicPublication(t *testing.T) {
	t.Run("WriteAfterStore", func(*testing.T) {
		var p atomic.Pointer[cargo]
		apart(
			func() { c := new(cargo); p.Store(c); c.load() },
			func() { p.Load().unload() },
		)
	})
	t.Run("WriteIntoValue", func(*testing.T) {
		var v atomic.Value
		apart(
			func() { m := map[string]int{}; v.Store(m); m["one"] = 1 },
			func() { keep(v.Load().(map[string]int)["one"]) },
		)
	})
	t.Run("PlainFlag", func(*testing.T) {
		c, done := new(cargo), false
		apart(
			func() { c.load(); done = true },
			func() { keep(done); c.unload() },
		)
	})
	t.Run("OverwrittenStore", func(*testing.T) { // the load sees the second store only
		var x atomic.Int32
		c := new(cargo)
		apart(
			func() { c.load(); x.Store(1) },
			func() { x.Store(2) },
			func() { x.Load(); c.unload() },
		)
	})
	t.Run("LoadBeforeStore", func(*testing.T) {
		var x atomic.Int32
		c := new(cargo)
		apart(
			func() { keep(x.Load()); c.load() },
			func() { x.Store(1); c.unload() },
		)
	})
	t.Run("TwoLoads", func(*testing.T) {
		var x atomic.Int32
		c := new(cargo)
		apart(
			func() { c.load(); keep(x.Load()) },
			func() { keep(x.Load()); c.unload() },
		)
	})
	t.Run("MissThenLoad", func(*testing.T) { // a compare-and-swap that fails publishes nothing
		var x atomic.Int32
		c := new(cargo)
		apart(
			func() { c.load(); x.CompareAndSwap(7, 8) },
			func() { keep(x.Load()); c.unload() },
		)
	})
	t.Run("OtherWord", func(*testing.T) {
		var x struct{ a, b atomic.Int32 }
		c := new(cargo)
		apart(
			func() { c.load(); x.a.Store(1) },
			func() { keep(x.b.Load()); c.unload() },
		)
	})
	t.Run("StoreThenStore", func(*testing.T) {
		var x atomic.Int64
		c := new(cargo)
		apart(
			func() { c.load(); x.Store(1) },
			func() { x.Store(2); c.unload() },
		)
	})
	t.Run("DoubleCheckedLocking", func(*testing.T) {
		var lock atomic.Bool
		var c *cargo
		get := func() {
			if c == nil {
				until(func() bool { return lock.CompareAndSwap(false, true) })
				c = new(cargo)
				lock.Store(false)
			}
		}
		apart(get, get)
	})
}
