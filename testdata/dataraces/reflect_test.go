// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"reflect"
	"testing"
)

type reflected struct {
	Number int32
	Text   string
	List   []int
	Table  map[string]int
	Any    any
	Halves halves
	Array  [4]int16
}

func newReflected() *reflected {
	return &reflected{List: []int{1, 2, 3}, Table: map[string]int{"a": 1}, Any: 1}
}

// fieldOf is the named field of x, to be set.
func fieldOf(x *reflected, name string) reflect.Value {
	return reflect.ValueOf(x).Elem().FieldByName(name)
}

// reflecting has an access by reflection, and a plain one.
func reflecting(name string, f func(v reflect.Value), g func(x *reflected)) func() (a, b func()) {
	return func() (a, b func()) {
		x := newReflected()
		v := fieldOf(x, name)
		return func() { f(v) }, func() { g(x) }
	}
}

var reflections = pairs{
	"SetInt": reflecting("Number",
		func(v reflect.Value) { v.SetInt(1) },
		func(x *reflected) { keep(x.Number) }),
	"Int": reflecting("Number",
		func(v reflect.Value) { keep(v.Int()) },
		func(x *reflected) { x.Number = 1 }),
	"Set": reflecting("Text",
		func(v reflect.Value) { v.Set(reflect.ValueOf("a")) },
		func(x *reflected) { keep(x.Text) }),
	"SetString": reflecting("Text",
		func(v reflect.Value) { v.SetString("a") },
		func(x *reflected) { keep(x.Text) }),
	"String": reflecting("Text",
		func(v reflect.Value) { keep(v.String()) },
		func(x *reflected) { x.Text = "a" }),
	"Interface": reflecting("Halves",
		func(v reflect.Value) { keep(v.Interface()) },
		func(x *reflected) { x.Halves.high = 1 }),
	"SetStruct": reflecting("Halves",
		func(v reflect.Value) { v.Set(reflect.ValueOf(halves{1, 2})) },
		func(x *reflected) { keep(x.Halves.high) }),
	"SetSlice": reflecting("List",
		func(v reflect.Value) { v.Set(v.Slice(0, 1)) },
		func(x *reflected) { keep(x.List) }),
	"SetElement": reflecting("List",
		func(v reflect.Value) { v.Index(1).SetInt(5) },
		func(x *reflected) { keep(x.List[1]) }),
	"Append": reflecting("List",
		func(v reflect.Value) { keep(reflect.Append(v, reflect.ValueOf(4))) },
		func(x *reflected) { x.List[2] = 1 }),
	"CopyTo": reflecting("List",
		func(v reflect.Value) { reflect.Copy(v, reflect.ValueOf([]int{7, 8})) },
		func(x *reflected) { keep(x.List[1]) }),
	"CopyFrom": reflecting("List",
		func(v reflect.Value) { reflect.Copy(reflect.ValueOf(make([]int, 2)), v) },
		func(x *reflected) { x.List[1] = 1 }),
	"Swapper": reflecting("List",
		func(v reflect.Value) { reflect.Swapper(v.Interface())(0, 2) },
		func(x *reflected) { keep(x.List[2]) }),
	"MapIndex": reflecting("Table",
		func(v reflect.Value) { keep(v.MapIndex(reflect.ValueOf("a"))) },
		func(x *reflected) { x.Table["b"] = 1 }),
	"SetMapIndex": reflecting("Table",
		func(v reflect.Value) { v.SetMapIndex(reflect.ValueOf("b"), reflect.ValueOf(1)) },
		func(x *reflected) { keep(x.Table["a"]) }),
	"MapRange": reflecting("Table",
		func(v reflect.Value) {
			for i := v.MapRange(); i.Next(); {
				keep(i.Key().String())
			}
		},
		func(x *reflected) { x.Table["b"] = 1 }),
	"MapKeys": reflecting("Table",
		func(v reflect.Value) { keep(v.MapKeys()) },
		func(x *reflected) { delete(x.Table, "b") }),
	"MapClear": reflecting("Table",
		func(v reflect.Value) { v.Clear() },
		func(x *reflected) { keep(x.Table["a"]) }),
	"Elem": reflecting("Any",
		func(v reflect.Value) { keep(v.Elem().Kind()) },
		func(x *reflected) { x.Any = "a" }),
	"Call": func() (a, b func()) {
		x := new(int)
		f := reflect.ValueOf(func(v int) { *x = v })
		return func() { f.Call([]reflect.Value{reflect.ValueOf(1)}) }, func() { keep(*x) }
	},
	"CallMethod": func() (a, b func()) {
		x := new(holder)
		f := reflect.ValueOf(x).MethodByName("Set")
		return func() { f.Call([]reflect.Value{reflect.ValueOf(1)}) }, func() { keep(x.number) }
	},
	"MakeFunc": func() (a, b func()) {
		var x int
		set := func(args []reflect.Value) []reflect.Value { x = int(args[0].Int()); return nil }
		f := reflect.MakeFunc(reflect.TypeFor[func(int)](), set).Interface().(func(int))
		return func() { f(1) }, func() { keep(x) }
	},
	"DeepEqual": func() (a, b func()) {
		x, y := newReflected(), newReflected()
		return func() { keep(reflect.DeepEqual(x, y)) }, func() { x.List[1] = 1 }
	},
	"SelectReceive": func() (a, b func()) {
		c, x := make(chan int, 1), new(int)
		c <- 1
		cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}}
		return func() {
			_, v, _ := reflect.Select(cases)
			reflect.ValueOf(x).Elem().Set(v)
		}, func() { keep(*x) }
	},
}

// Set is here for reflection, which finds exported methods only.
func (h *holder) Set(v int) { h.number = number(v) }

func TestRaceReflect(t *testing.T)   { reflections.races(t) }
func TestNoRaceReflect(t *testing.T) { reflections.ordered(t) }

func TestNoRaceReflectNeighbours(t *testing.T) {
	pairs{
		"Fields": func() (a, b func()) {
			x := newReflected()
			v, w := fieldOf(x, "Number"), fieldOf(x, "Text")
			return func() { v.SetInt(1) }, func() { w.SetString("a"); x.Array[1] = 2 }
		},
		"Elements": func() (a, b func()) {
			x := newReflected()
			v := fieldOf(x, "List")
			return func() { v.Index(0).SetInt(1) }, func() { v.Index(1).SetInt(1); x.List[2] = 1 }
		},
		"Types": func() (a, b func()) {
			x := newReflected()
			v := reflect.ValueOf(x).Elem()
			return func() { keep(v.Type().NumField()); keep(v.Field(1).CanSet()) }, func() { *x = reflected{} }
		},
		"Readers": func() (a, b func()) {
			x := newReflected()
			read := func() { keep(reflect.DeepEqual(x, newReflected())) }
			return read, read
		},
	}.harmless(t)
}
