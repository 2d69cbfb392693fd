// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"fmt"
	"testing"
	"unsafe"
)

type number int

func (n number) get() number { return n }
func (n *number) set(v int)  { *n = number(v) }

type getter interface{ get() number }

type holder struct {
	number
	inner *holder
	list  [3]int
}

type pairOf[K, V any] struct {
	key   K
	value V
}

func (p *pairOf[K, V]) set(k K, v V) { p.key, p.value = k, v }
func (p *pairOf[K, V]) get() (K, V)  { return p.key, p.value }

func store[T any](p *T, v T) { *p = v }

func load[T any](p *T) T { return *p }

func sum(list ...int) (total int) {
	for _, v := range list {
		total += v
	}
	return total
}

var (
	global       int
	globalText   string
	globalHolder holder
	globalArray  [4]int16
	globalSlice  []int
	globalMap    = map[string]int{}
	globalFunc   func() int
)

// places are a write and a read of variables that are reached in different ways.
var places = pairs{
	"Captured": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() { keep(x) }
	},
	"CapturedTwice": func() (a, b func()) {
		var x int
		return func() { func() { x = 1 }() }, func() { func() { keep(x) }() }
	},
	"CapturedParameter": func() (a, b func()) {
		return func(x int) (func(), func()) { return func() { x = 1 }, func() { keep(x) } }(0)
	},
	"CapturedResult": func() (a, b func()) {
		f := func() (x int, a, b func()) { return 0, func() { x = 1 }, func() { keep(x) } }
		_, a, b = f()
		return a, b
	},
	"CapturedString": func() (a, b func()) {
		var x string
		return func() { x = "a" }, func() { keep(x) }
	},
	"Global":       func() (a, b func()) { return func() { global = 1 }, func() { keep(global) } },
	"GlobalString": func() (a, b func()) { return func() { globalText = "a" }, func() { keep(len(globalText)) } },
	"GlobalField": func() (a, b func()) {
		return func() { globalHolder.list[1] = 1 }, func() { keep(globalHolder.list[1]) }
	},
	"GlobalStruct": func() (a, b func()) {
		return func() { globalHolder = holder{} }, func() { keep(globalHolder.number) }
	},
	"GlobalArray": func() (a, b func()) {
		return func() { globalArray[2] = 1 }, func() { keep(globalArray) }
	},
	"GlobalSlice": func() (a, b func()) {
		return func() { globalSlice = append(globalSlice[:0], 1) }, func() { keep(len(globalSlice)) }
	},
	"GlobalMap": func() (a, b func()) {
		return func() { globalMap["a"] = 1 }, func() { keep(globalMap["a"]) }
	},
	"GlobalFunc": func() (a, b func()) {
		globalFunc = func() int { return 1 }
		return func() { globalFunc = func() int { return 2 } }, func() { keep(globalFunc()) }
	},
	"GlobalPointer": func() (a, b func()) {
		p := &globalHolder.list[2]
		return func() { *p = 1 }, func() { keep(globalHolder.list[2]) }
	},
	"Pointers": func() (a, b func()) {
		x := new(*int)
		*x = new(int)
		return func() { **x = 1 }, func() { keep(**x) }
	},
	"LinkedList": func() (a, b func()) {
		x := &holder{inner: &holder{inner: &holder{}}}
		return func() { x.inner.inner.list[2] = 1 }, func() { keep(x.inner.inner.list[2]) }
	},
	"LinkChanged": func() (a, b func()) {
		x := &holder{inner: &holder{inner: &holder{}}}
		return func() { x.inner = nil }, func() { keep(x.inner) }
	},
	"PointerInInterface": func() (a, b func()) {
		var i any = new(int)
		return func() { *i.(*int) = 1 }, func() { keep(*i.(*int)) }
	},
	"Embedded": func() (a, b func()) {
		x := &struct{ *holder }{new(holder)}
		return func() { x.number = 1 }, func() { keep(x.number) }
	},
	"EmbeddedTwice": func() (a, b func()) {
		x := &struct{ outer }{}
		return func() { x.low = 1 }, func() { keep(x.low) }
	},
	"Array": func() (a, b func()) {
		var x [4]int
		i := 2
		return func() { x[i] = 1 }, func() { keep(x[i]) }
	},
	"Dimensions": func() (a, b func()) {
		x := new([2][3][4]int8)
		return func() { x[1][2][3] = 1 }, func() { keep(x[1][2][3]) }
	},
	"DimensionsOfSlices": func() (a, b func()) {
		x := [][][]int8{{{1, 2}, {3, 4}}}
		return func() { x[0][1][1] = 1 }, func() { keep(x[0][1][1]) }
	},
	"ArrayOfStructOfSlice": func() (a, b func()) {
		x := new([2]struct{ list []holder })
		x[1].list = make([]holder, 2)
		return func() { x[1].list[1].list[2] = 1 }, func() { keep(x[1].list[1].list[2]) }
	},
	"GenericFunction": func() (a, b func()) {
		x := new(int)
		return func() { store(x, 1) }, func() { keep(load(x)) }
	},
	"GenericPointer": func() (a, b func()) {
		x := new(*int)
		return func() { store(x, new(int)) }, func() { keep(load(x)) }
	},
	"GenericStruct": func() (a, b func()) {
		x := new(small)
		return func() { store(x, small{}) }, func() { keep(load(x)) }
	},
	"GenericMethod": func() (a, b func()) {
		x := new(pairOf[string, int])
		return func() { x.set("a", 1) }, func() { _, v := x.get(); keep(v) }
	},
	"GenericField": func() (a, b func()) {
		x := new(pairOf[int8, []string])
		return func() { x.value = nil }, func() { keep(*x) }
	},
	"PointerMethod": func() (a, b func()) {
		x := new(number)
		return func() { x.set(1) }, func() { keep(*x) }
	},
	"PromotedMethod": func() (a, b func()) {
		x := new(holder)
		return func() { x.set(1) }, func() { keep(x.get()) }
	},
	"MethodExpression": func() (a, b func()) {
		x, set := new(number), (*number).set
		return func() { set(x, 1) }, func() { keep(number.get(*x)) }
	},
	"MethodThroughInterface": func() (a, b func()) {
		x := new(number)
		var i getter = x // the wrapper reads
		return func() { *x = 1 }, func() { keep(i.get()) }
	},
	"MethodThroughEmbedding": func() (a, b func()) {
		x := &struct{ *number }{new(number)}
		var i getter = x
		return func() { x.set(1) }, func() { keep(i.get()) }
	},
	"MethodValue": func() (a, b func()) {
		x := new(number)
		return func() { x.set(1) }, func() { f := x.get; keep(f) }
	},
	"MethodValueOfPointer": func() (a, b func()) {
		x := new(number)
		set := x.set
		return func() { set(1) }, func() { keep(*x) }
	},
	"MethodValueOfInterface": func() (a, b func()) {
		x := new(number)
		i := getter(x)
		get := i.get
		return func() { x.set(1) }, func() { keep(get()) }
	},
	"FuncVariable": func() (a, b func()) {
		f := func() {}
		return func() { f = func() { keep(1) } }, func() { f() }
	},
	"FuncField": func() (a, b func()) {
		x := &struct{ f func(int) }{func(int) {}}
		return func() { x.f = func(int) {} }, func() { x.f(1) }
	},
	"Variadic": func() (a, b func()) {
		x := []int{1, 2, 3}
		return func() { x[1] = 1 }, func() { keep(sum(x...)) }
	},
	"VariadicArguments": func() (a, b func()) {
		x := new(int)
		return func() { *x = 1 }, func() { keep(sum(1, *x, 2)) }
	},
	"VariadicInterfaces": func() (a, b func()) {
		x := new(int)
		return func() { *x = 1 }, func() { keep(fmt.Sprint("a", *x)) }
	},
	"Unsafe": func() (a, b func()) {
		x := new(holder)
		p := (*int)(unsafe.Add(unsafe.Pointer(x), unsafe.Offsetof(x.list)))
		return func() { *p = 1 }, func() { keep(x.list[0]) }
	},
	"UnsafeSlice": func() (a, b func()) {
		x := new([4]int32)
		s := unsafe.Slice(&x[1], 2)
		return func() { s[1] = 1 }, func() { keep(x[2]) }
	},
	"UnsafeOtherType": func() (a, b func()) {
		x := new(uint64)
		return func() { *x = 1 }, func() { keep(*(*int32)(unsafe.Pointer(x))) }
	},
}

func TestRacePlace(t *testing.T)   { places.races(t) }
func TestNoRacePlace(t *testing.T) { places.ordered(t) }

// Each iteration has a variable of its own.
func TestNoRaceLoopVariable(t *testing.T) {
	var fs []func()
	for i := 0; i < 4; i++ {
		fs = append(fs, func() { i++; keep(i) })
	}
	for i, v := range []int{1, 2} {
		fs = append(fs, func() { i++; v++; keep(i + v) })
	}
	apart(fs...)
}

// A variable outside of the loop is shared.
func TestRaceLoopVariable(t *testing.T) {
	var i int
	var fs []func()
	for i = 0; i < 2; i++ {
		fs = append(fs, func() { i++ })
	}
	apart(fs...)
}

// What a go statement is given is its own copy.
func TestNoRaceGoArguments(t *testing.T) {
	x := large{head: 1}
	done := make(chan int)
	go func(x large) { x.head = 2; keep(x); done <- 1 }(x)
	x.head = 3
	keep(x)
	<-done
}
