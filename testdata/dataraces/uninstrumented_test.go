// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"bytes"
	"maps"
	"reflect"
	"testing"
	"unsafe"
)

// uninstrumented are accesses that the compiler with -race and the runtime don't announce, so that a detector that has no
// other source misses the races.
var uninstrumented = pairs{
	// The runtime clears memory by itself, and copies maps.
	"Clear": func() (a, b func()) {
		x := make([]int, 30)
		return func() { clear(x) }, func() { keep(x[20]) }
	},
	"ClearPointers": func() (a, b func()) {
		x := make([]*int, 30)
		return func() { clear(x) }, func() { x[20] = new(int) }
	},
	"ReflectSetZero": reflecting("Array",
		func(v reflect.Value) { v.SetZero() },
		func(x *reflected) { keep(x.Array[3]) }),
	"MapClone": func() (a, b func()) {
		m := map[int]int{1: 1}
		return func() { keep(maps.Clone(m)) }, func() { m[1] = 1 }
	},
	"MapCloneLarge": func() (a, b func()) {
		m := make(map[string]int, 100)
		return func() { keep(maps.Clone(m)) }, func() { m["a"] = 1 }
	},

	// The runtime reads an element that is sent by reflection.
	"ReflectSend": func() (a, b func()) {
		c, x := make(chan int, 1), new(int)
		return func() { reflect.ValueOf(c).Send(reflect.ValueOf(x).Elem()) }, func() { *x = 1 }
	},

	// Of a variable that is neither struct nor array, the first byte stands for all. Package reflect uses the words of a
	// slice or string one at a time.
	"SecondHalf": func() (a, b func()) {
		x := new(uint64)
		half := (*[2]uint32)(unsafe.Pointer(x))
		return func() { *x = 1 }, func() { keep(half[1]) }
	},
	"LastByte": func() (a, b func()) {
		x := new(uint64)
		bytes := (*[8]uint8)(unsafe.Pointer(x))
		return func() { bytes[7] = 1 }, func() { keep(*x) }
	},
	"Imaginary": func() (a, b func()) {
		x := new(complex128)
		parts := (*[2]float64)(unsafe.Pointer(x))
		return func() { *x = 1i }, func() { keep(parts[1]) }
	},
	"ReflectLen": reflecting("List",
		func(v reflect.Value) { keep(v.Len()) },
		func(x *reflected) { x.List = nil }),
	"ReflectCap": reflecting("List",
		func(v reflect.Value) { keep(v.Cap()) },
		func(x *reflected) { x.List = nil }),
	"ReflectSetLen": reflecting("List",
		func(v reflect.Value) { v.SetLen(1) },
		func(x *reflected) { keep(len(x.List)) }),
	"ReflectStringLen": reflecting("Text",
		func(v reflect.Value) { keep(v.Len()) },
		func(x *reflected) { x.Text = "a" }),

	// Assembly isn't instrumented.
	"IndexByte": func() (a, b func()) {
		x := []byte("abcdef")
		return func() { keep(bytes.IndexByte(x, 'e')) }, func() { x[2] = 1 }
	},
	"BytesCompare": func() (a, b func()) {
		x, y := []byte("abcdef"), []byte("abcdeg")
		return func() { keep(bytes.Compare(x, y)) }, func() { x[2] = 1 }
	},
}

func TestRaceUninstrumented(t *testing.T)   { uninstrumented.races(t) }
func TestNoRaceUninstrumented(t *testing.T) { uninstrumented.ordered(t) }
