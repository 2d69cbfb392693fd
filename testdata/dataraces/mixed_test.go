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

// A mixed is one word with atomic and plain operations: 0 at first. Those that the type doesn't have are nil.
type mixed struct {
	read, write       func() // plain
	load, store, swap func()
	hit, miss         func() // a compare-and-swap that changes something, and one that doesn't
	add, and, or      func()
}

type word interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr
}

// numbers is what the integer types of sync/atomic have in common.
type numbers[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(from, to T) bool
	Add(T) T
	And(T) T
	Or(T) T
}

// typed is a word of a type of sync/atomic, at whose only word p points.
func typed[T word](x numbers[T], p unsafe.Pointer) mixed {
	plain := (*T)(p)
	return mixed{
		read:  func() { keep(*plain) },
		write: func() { *plain = 0 },
		load:  func() { keep(x.Load()) },
		store: func() { x.Store(2) },
		swap:  func() { keep(x.Swap(3)) },
		hit:   func() { x.CompareAndSwap(x.Load(), 4) },
		miss:  func() { x.CompareAndSwap(99, 5) },
		add:   func() { x.Add(1) },
		and:   func() { keep(x.And(1)) },
		or:    func() { keep(x.Or(2)) },
	}
}

// words are of all types; the functions of the package are called by name, in the way of old code.
var words = map[string]func() mixed{
	"Int32":   func() mixed { x := new(atomic.Int32); return typed(x, unsafe.Pointer(x)) },
	"Int64":   func() mixed { x := new(atomic.Int64); return typed(x, unsafe.Pointer(x)) },
	"Uint32":  func() mixed { x := new(atomic.Uint32); return typed(x, unsafe.Pointer(x)) },
	"Uint64":  func() mixed { x := new(atomic.Uint64); return typed(x, unsafe.Pointer(x)) },
	"Uintptr": func() mixed { x := new(atomic.Uintptr); return typed(x, unsafe.Pointer(x)) },
	"Bool": func() mixed {
		x := new(atomic.Bool)
		return mixed{
			write: func() { *x = atomic.Bool{} },
			load:  func() { keep(x.Load()) },
			store: func() { x.Store(true) },
			swap:  func() { keep(x.Swap(true)) },
			hit:   func() { x.CompareAndSwap(x.Load(), true) },
		}
	},
	"Pointer": func() mixed {
		x := new(atomic.Pointer[int])
		return mixed{
			read:  func() { keep(*(**int)(unsafe.Pointer(x))) },
			write: func() { *x = atomic.Pointer[int]{} },
			load:  func() { keep(x.Load()) },
			store: func() { x.Store(new(int)) },
			swap:  func() { keep(x.Swap(new(int))) },
			hit:   func() { x.CompareAndSwap(x.Load(), new(int)) },
			miss:  func() { x.CompareAndSwap(new(int), nil) },
		}
	},
	"FuncInt32": func() mixed {
		x := new(int32)
		return mixed{
			read:  func() { keep(*x) },
			write: func() { *x = 0 },
			load:  func() { keep(atomic.LoadInt32(x)) },
			store: func() { atomic.StoreInt32(x, 2) },
			swap:  func() { keep(atomic.SwapInt32(x, 3)) },
			hit:   func() { atomic.CompareAndSwapInt32(x, atomic.LoadInt32(x), 4) },
			miss:  func() { atomic.CompareAndSwapInt32(x, 99, 5) },
			add:   func() { atomic.AddInt32(x, 1) },
			and:   func() { atomic.AndInt32(x, 1) },
			or:    func() { atomic.OrInt32(x, 2) },
		}
	},
	"FuncUint32": func() mixed {
		x := new(struct{ before, it, after uint32 })
		return mixed{
			read:  func() { keep(*x) },
			write: func() { x.it = 0 },
			load:  func() { keep(atomic.LoadUint32(&x.it)) },
			store: func() { atomic.StoreUint32(&x.it, 2) },
			swap:  func() { keep(atomic.SwapUint32(&x.it, 3)) },
			hit:   func() { atomic.CompareAndSwapUint32(&x.it, atomic.LoadUint32(&x.it), 4) },
			miss:  func() { atomic.CompareAndSwapUint32(&x.it, 99, 5) },
			add:   func() { atomic.AddUint32(&x.it, 1) },
			and:   func() { atomic.AndUint32(&x.it, 1) },
			or:    func() { atomic.OrUint32(&x.it, 2) },
		}
	},
	"FuncUint64": func() mixed {
		x := new([3]uint64)
		return mixed{
			read:  func() { keep(*x) },
			write: func() { *x = [3]uint64{} },
			load:  func() { keep(atomic.LoadUint64(&x[2])) },
			store: func() { atomic.StoreUint64(&x[2], 2) },
			swap:  func() { keep(atomic.SwapUint64(&x[2], 3)) },
			hit:   func() { atomic.CompareAndSwapUint64(&x[2], atomic.LoadUint64(&x[2]), 4) },
			miss:  func() { atomic.CompareAndSwapUint64(&x[2], 99, 5) },
			add:   func() { atomic.AddUint64(&x[2], 1) },
			and:   func() { atomic.AndUint64(&x[2], 1) },
			or:    func() { atomic.OrUint64(&x[2], 2) },
		}
	},
	"FuncPointer": func() mixed {
		x := new(unsafe.Pointer)
		return mixed{
			read:  func() { keep(*x) },
			write: func() { *x = nil },
			load:  func() { keep(atomic.LoadPointer(x)) },
			store: func() { atomic.StorePointer(x, unsafe.Pointer(new(int))) },
			swap:  func() { keep(atomic.SwapPointer(x, nil)) },
			hit:   func() { atomic.CompareAndSwapPointer(x, atomic.LoadPointer(x), unsafe.Pointer(new(int))) },
			miss:  func() { atomic.CompareAndSwapPointer(x, unsafe.Pointer(new(int)), nil) },
		}
	},
}

// operations are the atomic ones by name; changing says which of them write.
var operations = map[string]func(m mixed) func(){
	"Load":  func(m mixed) func() { return m.load },
	"Store": func(m mixed) func() { return m.store },
	"Swap":  func(m mixed) func() { return m.swap },
	"Hit":   func(m mixed) func() { return m.hit },
	"Miss":  func(m mixed) func() { return m.miss },
	"Add":   func(m mixed) func() { return m.add },
	"And":   func(m mixed) func() { return m.and },
	"Or":    func(m mixed) func() { return m.or },
}

// mixing has, for each type that has both, a pair of an atomic operation and one chosen by other.
func mixing(operation string, other func(m mixed) func()) pairs {
	p := make(pairs)
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if m := words[name](); operations[operation](m) == nil || other(m) == nil {
			continue
		}
		p[name] = func() (a, b func()) {
			m := words[name]()
			return operations[operation](m), other(m)
		}
	}
	return p
}

func plainRead(m mixed) func()  { return m.read }
func plainWrite(m mixed) func() { return m.write }

// eachOperation has a subtest for each operation, but for those left out.
func eachOperation(t *testing.T, other func(m mixed) func(), run func(p pairs, t *testing.T), leftOut ...string) {
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		if !slices.Contains(leftOut, name) {
			t.Run(name, func(t *testing.T) { run(mixing(name, other), t) })
		}
	}
}

func TestRaceMixedPlainRead(t *testing.T) { eachOperation(t, plainRead, pairs.races, "Load", "Miss") }

func TestNoRaceMixedPlainRead(t *testing.T) { eachOperation(t, plainRead, pairs.ordered) }

func TestRaceMixedPlainWrite(t *testing.T) { eachOperation(t, plainWrite, pairs.races) }

func TestNoRaceMixedPlainWrite(t *testing.T) { eachOperation(t, plainWrite, pairs.ordered) }

func TestNoRaceMixedReads(t *testing.T) { mixing("Load", plainRead).harmless(t) }

// A compare-and-swap that fails is a read.
func TestNoRaceMixedMiss(t *testing.T) { mixing("Miss", plainRead).harmless(t) }

func TestNoRaceAtomics(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		t.Run(name, func(t *testing.T) { eachOperation(t, operations[name], pairs.harmless) })
	}
}

// Who has seen what an atomic operation wrote comes after all of it, and may go on without.
func TestNoRaceMixedSeen(t *testing.T) {
	for _, name := range []string{"Store", "Swap", "Hit", "Add", "And", "Or"} {
		t.Run(name, func(t *testing.T) {
			for _, typ := range slices.Sorted(maps.Keys(words)) {
				m := words[typ]()
				if operation := operations[name](m); operation != nil {
					t.Run(typ, func(*testing.T) { apart(operation, func() { m.load(); m.write() }) })
				}
			}
		})
	}
}
