// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"sync/atomic"
	"testing"
	"unsafe"
)

// A word is an atomic variable that holds a small number: 0 at first.
type word struct {
	load  func() int
	store func(int)
	swap  func(int) int
	cas   func(from, to int) bool
	add   func(int) int // nil: the type has none
	or    func(int) int // the same; returns the old value
	and   func(int) int
}

// number is what the integer types of sync/atomic have in common.
type number[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(from, to T) bool
	Add(T) T
	And(T) T
	Or(T) T
}

type integer interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr
}

func typedWord[T integer](x number[T]) word {
	return word{
		load:  func() int { return int(x.Load()) },
		store: func(v int) { x.Store(T(v)) },
		swap:  func(v int) int { return int(x.Swap(T(v))) },
		cas:   func(from, to int) bool { return x.CompareAndSwap(T(from), T(to)) },
		add:   func(d int) int { return int(x.Add(T(d))) },
		and:   func(m int) int { return int(x.And(T(m))) },
		or:    func(m int) int { return int(x.Or(T(m))) },
	}
}

// wordKinds makes a new word of each type. The functions of the package are called by name, in the
// way of old code.
var wordKinds = map[string]func() word{
	"Int32":   func() word { return typedWord[int32](new(atomic.Int32)) },
	"Int64":   func() word { return typedWord[int64](new(atomic.Int64)) },
	"Uint32":  func() word { return typedWord[uint32](new(atomic.Uint32)) },
	"Uint64":  func() word { return typedWord[uint64](new(atomic.Uint64)) },
	"Uintptr": func() word { return typedWord[uintptr](new(atomic.Uintptr)) },
	"Bool":    boolWord,
	"Pointer": pointerWord,
	"Value":   valueWord,
	// The first store of a Value is another one than those after it.
	"NoValue": noValueWord,

	"FuncInt32": func() word {
		x := new(int32)
		return word{
			load:  func() int { return int(atomic.LoadInt32(x)) },
			store: func(v int) { atomic.StoreInt32(x, int32(v)) },
			swap:  func(v int) int { return int(atomic.SwapInt32(x, int32(v))) },
			cas: func(from, to int) bool {
				return atomic.CompareAndSwapInt32(x, int32(from), int32(to))
			},
			add: func(d int) int { return int(atomic.AddInt32(x, int32(d))) },
			and: func(m int) int { return int(atomic.AndInt32(x, int32(m))) },
			or:  func(m int) int { return int(atomic.OrInt32(x, int32(m))) },
		}
	},
	"FuncInt64": func() word {
		x := new(int64)
		return word{
			load:  func() int { return int(atomic.LoadInt64(x)) },
			store: func(v int) { atomic.StoreInt64(x, int64(v)) },
			swap:  func(v int) int { return int(atomic.SwapInt64(x, int64(v))) },
			cas: func(from, to int) bool {
				return atomic.CompareAndSwapInt64(x, int64(from), int64(to))
			},
			add: func(d int) int { return int(atomic.AddInt64(x, int64(d))) },
			and: func(m int) int { return int(atomic.AndInt64(x, int64(m))) },
			or:  func(m int) int { return int(atomic.OrInt64(x, int64(m))) },
		}
	},
	"FuncUint32": func() word {
		x := new(uint32)
		return word{
			load:  func() int { return int(atomic.LoadUint32(x)) },
			store: func(v int) { atomic.StoreUint32(x, uint32(v)) },
			swap:  func(v int) int { return int(atomic.SwapUint32(x, uint32(v))) },
			cas: func(from, to int) bool {
				return atomic.CompareAndSwapUint32(x, uint32(from), uint32(to))
			},
			add: func(d int) int { return int(atomic.AddUint32(x, uint32(d))) },
			and: func(m int) int { return int(atomic.AndUint32(x, uint32(m))) },
			or:  func(m int) int { return int(atomic.OrUint32(x, uint32(m))) },
		}
	},
	"FuncUint64": func() word {
		x := new(uint64)
		return word{
			load:  func() int { return int(atomic.LoadUint64(x)) },
			store: func(v int) { atomic.StoreUint64(x, uint64(v)) },
			swap:  func(v int) int { return int(atomic.SwapUint64(x, uint64(v))) },
			cas: func(from, to int) bool {
				return atomic.CompareAndSwapUint64(x, uint64(from), uint64(to))
			},
			add: func(d int) int { return int(atomic.AddUint64(x, uint64(d))) },
			and: func(m int) int { return int(atomic.AndUint64(x, uint64(m))) },
			or:  func(m int) int { return int(atomic.OrUint64(x, uint64(m))) },
		}
	},
	"FuncUintptr": func() word {
		x := new(uintptr)
		return word{
			load:  func() int { return int(atomic.LoadUintptr(x)) },
			store: func(v int) { atomic.StoreUintptr(x, uintptr(v)) },
			swap:  func(v int) int { return int(atomic.SwapUintptr(x, uintptr(v))) },
			cas: func(from, to int) bool {
				return atomic.CompareAndSwapUintptr(x, uintptr(from), uintptr(to))
			},
			add: func(d int) int { return int(atomic.AddUintptr(x, uintptr(d))) },
			and: func(m int) int { return int(atomic.AndUintptr(x, uintptr(m))) },
			or:  func(m int) int { return int(atomic.OrUintptr(x, uintptr(m))) },
		}
	},
	"FuncPointer": funcPointerWord,
}

func boolWord() word {
	x := new(atomic.Bool)
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return word{
		load:  func() int { return number(x.Load()) },
		store: func(v int) { x.Store(v != 0) },
		swap:  func(v int) int { return number(x.Swap(v != 0)) },
		cas:   func(from, to int) bool { return x.CompareAndSwap(from != 0, to != 0) },
	}
}

// cells gives small numbers addresses.
var cells [4]int

// cellOf is the number that an address among the cells stands for.
func cellOf(p *int) int {
	if p == nil {
		return 0
	}
	offset := uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(&cells[0]))
	return int(offset / unsafe.Sizeof(cells[0]))
}

func cell(v int) *int {
	if v == 0 {
		return nil
	}
	return &cells[v]
}

func pointerWord() word {
	x := new(atomic.Pointer[int])
	return word{
		load:  func() int { return cellOf(x.Load()) },
		store: func(v int) { x.Store(cell(v)) },
		swap:  func(v int) int { return cellOf(x.Swap(cell(v))) },
		cas:   func(from, to int) bool { return x.CompareAndSwap(cell(from), cell(to)) },
	}
}

func funcPointerWord() word {
	x := new(unsafe.Pointer)
	return word{
		load:  func() int { return cellOf((*int)(atomic.LoadPointer(x))) },
		store: func(v int) { atomic.StorePointer(x, unsafe.Pointer(cell(v))) },
		swap: func(v int) int {
			return cellOf((*int)(atomic.SwapPointer(x, unsafe.Pointer(cell(v)))))
		},
		cas: func(from, to int) bool {
			was, is := unsafe.Pointer(cell(from)), unsafe.Pointer(cell(to))
			return atomic.CompareAndSwapPointer(x, was, is)
		},
	}
}

func valueWord() word {
	x := new(atomic.Value)
	x.Store(0)
	return word{
		load:  func() int { return x.Load().(int) },
		store: func(v int) { x.Store(v) },
		swap:  func(v int) int { return x.Swap(v).(int) },
		cas:   func(from, to int) bool { return x.CompareAndSwap(from, to) },
	}
}

func noValueWord() word {
	x := new(atomic.Value)
	number := func(v any) int {
		n, _ := v.(int)
		return n
	}
	return word{
		load:  func() int { return number(x.Load()) },
		store: func(v int) { x.Store(v) },
		swap:  func(v int) int { return number(x.Swap(v)) },
		cas: func(from, to int) bool {
			if from == 0 {
				return x.CompareAndSwap(nil, to)
			}
			return x.CompareAndSwap(from, to)
		},
	}
}

// atomicPairs are the ways in which one atomic operation can see another's effect. A pair that the
// type of the word doesn't have is left out (ok is false).
var atomicPairs = map[string]func(w word) (e edge, ok bool){
	"StoreLoad": func(w word) (edge, bool) {
		return edge{func() { w.store(1) }, seen(w.load)}, true
	},
	"SwapLoad": func(w word) (edge, bool) {
		return edge{func() { w.swap(1) }, seen(w.load)}, true
	},
	"CompareAndSwapLoad": func(w word) (edge, bool) {
		return edge{func() { w.cas(0, 1) }, seen(w.load)}, true
	},
	"AddLoad": func(w word) (edge, bool) {
		return edge{func() { w.add(1) }, seen(w.load)}, w.add != nil
	},
	"OrLoad": func(w word) (edge, bool) {
		return edge{func() { w.or(1) }, seen(w.load)}, w.or != nil
	},
	"AndLoad": func(w word) (edge, bool) {
		w.store(3)
		signal := func() { w.and(1) }
		return edge{signal, func() { until(func() bool { return w.load() == 1 }) }}, w.and != nil
	},
	"StoreCompareAndSwap": func(w word) (edge, bool) {
		signal := func() { w.store(1) }
		return edge{signal, func() { until(func() bool { return w.cas(1, 0) }) }}, true
	},
	"StoreSwap": func(w word) (edge, bool) {
		signal := func() { w.store(1) }
		return edge{signal, func() { until(func() bool { return w.swap(0) == 1 }) }}, true
	},
	"StoreAdd": func(w word) (edge, bool) {
		return edge{func() { w.store(1) }, seen(func() int { return w.add(0) })}, w.add != nil
	},
	"AddAdd": func(w word) (edge, bool) {
		return edge{func() { w.add(1) }, seen(func() int { return w.add(0) })}, w.add != nil
	},
	"OrOr": func(w word) (edge, bool) {
		return edge{func() { w.or(1) }, seen(func() int { return w.or(0) })}, w.or != nil
	},
	"CompareAndSwapCompareAndSwap": func(w word) (edge, bool) {
		signal := func() { w.cas(0, 1) }
		return edge{signal, func() { until(func() bool { return w.cas(1, 0) }) }}, true
	},
}

func seen(look func() int) func() {
	return func() { until(func() bool { return look() != 0 }) }
}

// eachWord runs f for every type that has the pair, each in a subtest.
func eachWord(t *testing.T, pair string, f func(t *testing.T, newEdge func() edge)) {
	for kind, newWord := range wordKinds {
		if _, ok := atomicPairs[pair](wordWithout(newWord())); !ok {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			f(t, func() edge {
				e, _ := atomicPairs[pair](newWord())
				return e
			})
		})
	}
}

// wordWithout is w with a store that does nothing, to ask whether a pair is there.
func wordWithout(w word) word {
	w.store = func(int) {}
	return w
}

func noRace(t *testing.T, pair string) {
	eachWord(t, pair, func(_ *testing.T, newEdge func() edge) { ordered(newEdge()) })
}

func race(t *testing.T, pair string) { eachWord(t, pair, both) }

func TestNoRaceAtomicStoreLoad(t *testing.T) { noRace(t, "StoreLoad") }
func TestRaceAtomicStoreLoad(t *testing.T)   { race(t, "StoreLoad") }
func TestNoRaceAtomicSwapLoad(t *testing.T)  { noRace(t, "SwapLoad") }
func TestRaceAtomicSwapLoad(t *testing.T)    { race(t, "SwapLoad") }
func TestNoRaceAtomicCASLoad(t *testing.T)   { noRace(t, "CompareAndSwapLoad") }
func TestRaceAtomicCASLoad(t *testing.T)     { race(t, "CompareAndSwapLoad") }
func TestNoRaceAtomicAddLoad(t *testing.T)   { noRace(t, "AddLoad") }
func TestRaceAtomicAddLoad(t *testing.T)     { race(t, "AddLoad") }
func TestNoRaceAtomicOrLoad(t *testing.T)    { noRace(t, "OrLoad") }
func TestRaceAtomicOrLoad(t *testing.T)      { race(t, "OrLoad") }
func TestNoRaceAtomicAndLoad(t *testing.T)   { noRace(t, "AndLoad") }
func TestRaceAtomicAndLoad(t *testing.T)     { race(t, "AndLoad") }
func TestNoRaceAtomicStoreCAS(t *testing.T)  { noRace(t, "StoreCompareAndSwap") }
func TestRaceAtomicStoreCAS(t *testing.T)    { race(t, "StoreCompareAndSwap") }
func TestNoRaceAtomicStoreSwap(t *testing.T) { noRace(t, "StoreSwap") }
func TestRaceAtomicStoreSwap(t *testing.T)   { race(t, "StoreSwap") }
func TestNoRaceAtomicStoreAdd(t *testing.T)  { noRace(t, "StoreAdd") }
func TestRaceAtomicStoreAdd(t *testing.T)    { race(t, "StoreAdd") }
func TestNoRaceAtomicAddAdd(t *testing.T)    { noRace(t, "AddAdd") }
func TestRaceAtomicAddAdd(t *testing.T)      { race(t, "AddAdd") }
func TestNoRaceAtomicOrOr(t *testing.T)      { noRace(t, "OrOr") }
func TestRaceAtomicOrOr(t *testing.T)        { race(t, "OrOr") }
func TestNoRaceAtomicCASCAS(t *testing.T)    { noRace(t, "CompareAndSwapCompareAndSwap") }
func TestRaceAtomicCASCAS(t *testing.T)      { race(t, "CompareAndSwapCompareAndSwap") }

// A read-modify-write in the middle of a chain passes on what came before the first.
func TestNoRaceAtomicChain(t *testing.T) {
	var o object
	var x atomic.Int32
	together(
		func() { o.write(1); x.Store(1) },
		func() { until(func() bool { return x.CompareAndSwap(1, 2) }) },
		func() { until(func() bool { return x.Load() == 2 }); o.read() },
	)
}

// The last of many counters sees all of them: a reference count.
func TestNoRaceAtomicCountDown(t *testing.T) {
	var o, p object
	var count atomic.Int32
	count.Store(2)
	var last object
	leave := func(own *object) func() {
		return func() {
			own.write(1)
			if count.Add(-1) == 0 {
				o.read()
				p.read()
				last.write(1)
			}
		}
	}
	together(leave(&o), leave(&p))
}

// A compare-and-swap that fails has no effect that anybody could see.
func TestRaceAtomicFailedCAS(t *testing.T) {
	var o object
	var x atomic.Int32
	var tried flag
	together(
		func() { o.write(1); x.CompareAndSwap(7, 8); tried.raise() },
		func() { tried.await(); x.Load(); o.read() },
	)
}

// seesType waits for the type of a Value, and sees nothing of its data.
func seesType(x *atomic.Value) {
	until(func() (seen bool) {
		defer func() { seen = recover() != nil }()
		x.CompareAndSwap("a", "b")
		return false
	})
}

// Who sees the type that a Value has got by its first store comes after that.
func TestNoRaceAtomicValueType(t *testing.T) {
	for name, first := range map[string]func(x *atomic.Value){
		"Store":          func(x *atomic.Value) { x.Store(1) },
		"Swap":           func(x *atomic.Value) { x.Swap(1) },
		"CompareAndSwap": func(x *atomic.Value) { x.CompareAndSwap(nil, 1) },
	} {
		t.Run(name, func(*testing.T) {
			x := new(atomic.Value)
			ordered(edge{func() { first(x) }, func() { seesType(x) }})
		})
	}
}

// Who sees the type of a Value doesn't come after its last store.
func TestRaceAtomicValueType(t *testing.T) {
	var o object
	var x atomic.Value
	x.Store(0)
	var stored flag
	together(
		func() { o.write(1); x.Store(1); stored.raise() },
		func() { stored.await(); seesType(&x); o.read() },
	)
}

// Two loads aren't ordered.
func TestRaceAtomicLoads(t *testing.T) {
	var o object
	var x atomic.Int32
	var first flag
	together(
		func() { o.write(1); x.Load(); first.raise() },
		func() { first.await(); x.Load(); o.read() },
	)
}

// Neighbours aren't one variable.
func TestRaceAtomicNeighbours(t *testing.T) {
	var o object
	var x struct{ a, b atomic.Int32 }
	var first flag
	together(
		func() { o.write(1); x.a.Store(1); first.raise() },
		func() { first.await(); x.b.Load(); o.read() },
	)
}
