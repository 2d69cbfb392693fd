// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import "testing"

type temperature float64

// reading returns a write of a number that read reads.
func reading(read func(x *int)) func() (a, b func()) {
	return func() (a, b func()) {
		x := new(int)
		return func() { *x = 1 }, func() { read(x) }
	}
}

// readingText is the same with a string.
func readingText(read func(x *string)) func() (a, b func()) {
	return func() (a, b func()) {
		x := new(string)
		*x = "abcdef"
		return func() { *x = "ghijkl" }, func() { read(x) }
	}
}

// readingAny is the same with an interface.
func readingAny(read func(x *any)) func() (a, b func()) {
	return func() (a, b func()) {
		x := new(any)
		*x = 1
		return func() { *x = "a" }, func() { read(x) }
	}
}

// A sink keeps what an expression gives from being left out.
var sink [2]struct {
	number int
	text   string
	flag   bool
}

// expressions read a variable in every kind of expression.
var expressions = pairs{
	"Plus":        reading(func(x *int) { keep(*x + 3) }),
	"Divide":      reading(func(x *int) { keep(7 / (*x | 1)) }),
	"Shift":       reading(func(x *int) { keep(1 << (*x & 7)) }),
	"Negate":      reading(func(x *int) { keep(-*x) }),
	"Complement":  reading(func(x *int) { keep(^*x) }),
	"Compare":     reading(func(x *int) { keep(*x < 3) }),
	"Convert":     reading(func(x *int) { keep(float64(*x)) }),
	"Min":         reading(func(x *int) { keep(min(*x, 3, 4)) }),
	"Box":         reading(func(x *int) { keep(any(*x)) }),
	"Rune":        reading(func(x *int) { keep(string(rune(*x))) }),
	"ComplexPart": reading(func(x *int) { keep(complex(float64(*x), 1)) }),
	"IndexOf": reading(func(x *int) {
		list := [...]int{1, 2, 3}
		keep(list[*x])
	}),
	"SliceBound": reading(func(x *int) { keep(sliced[*x:]) }),
	"MapKey":     reading(func(x *int) { keep(map[int]int{1: 2}[*x]) }),
	"MakeLength": reading(func(x *int) { keep(make([]int, *x)) }),
	"MakeMap":    reading(func(x *int) { keep(make(map[int]int, *x)) }),
	"MakeChan":   reading(func(x *int) { keep(make(chan int, *x)) }),
	"Append":     reading(func(x *int) { keep(append([]int{1}, *x)) }),
	"Struct":     reading(func(x *int) { keep(holder{number: number(*x)}) }),
	"StructPointer": reading(func(x *int) {
		keep(&holder{list: [3]int{1, *x}})
	}),
	"Literals":   reading(func(x *int) { keep([]int{1, *x}); keep(map[int]int{*x: *x}) }),
	"Call":       reading(func(x *int) { keep(sum(*x)) }),
	"ThroughTwo": reading(func(x *int) { p := &x; keep(**p) }),
	"Closure":    reading(func(x *int) { func(v int) { keep(v) }(*x) }),
	"And": func() (a, b func()) {
		var x, yes bool
		yes = true
		return func() { x = true }, func() { keep(yes && x) }
	},
	"Or": func() (a, b func()) {
		var x, no bool
		return func() { x = true }, func() { keep(no || x) }
	},
	"Not": func() (a, b func()) {
		var x bool
		return func() { x = true }, func() { keep(!x) }
	},

	"TextLength":  readingText(func(x *string) { keep(len(*x)) }),
	"TextIndex":   readingText(func(x *string) { keep((*x)[2]) }),
	"TextSlice":   readingText(func(x *string) { keep((*x)[1:3]) }),
	"TextCompare": readingText(func(x *string) { keep(*x == "ghi") }),
	"TextOrder":   readingText(func(x *string) { keep(*x < "ghi") }),
	"TextConcat":  readingText(func(x *string) { keep("<" + *x + ">") }),
	"TextBytes":   readingText(func(x *string) { keep([]byte(*x)) }),
	"TextRunes":   readingText(func(x *string) { keep([]rune(*x)) }),
	"TextKey":     readingText(func(x *string) { keep(map[string]int{"a": 1}[*x]) }),
	"TextCopy":    readingText(func(x *string) { copy(make([]byte, 3), *x) }),
	"TextAppend":  readingText(func(x *string) { keep(append([]byte("a"), *x...)) }),

	"AnyCompare": readingAny(func(x *any) { keep(*x == any(1)) }),
	"AnyNil":     readingAny(func(x *any) { keep(*x != nil) }),
	"AnyMixed":   readingAny(func(x *any) { keep(*x == 1) }),
	"AnyAssert":  readingAny(func(x *any) { v, _ := (*x).(int); keep(v) }),
	"AnyConvert": readingAny(func(x *any) { v, _ := (*x).(getter); keep(v) }),
	"AnyKey":     readingAny(func(x *any) { keep(map[any]int{1: 1}[*x]) }),

	"FloatMixed": func() (a, b func()) {
		x := new(temperature)
		return func() { *x = 36.6 }, func() { keep(float32(*x) * 2) }
	},
	"ComplexReal": func() (a, b func()) {
		x := new(complex128)
		return func() { *x = 1 + 2i }, func() { keep(real(*x)) }
	},
	"ComplexImaginary": func() (a, b func()) {
		x := new(complex64)
		return func() { *x = 1 + 2i }, func() { keep(imag(*x)) }
	},
	"StructConversion": func() (a, b func()) {
		type other small
		x := new(small)
		return func() { x.b = 1 }, func() { keep(other(*x)) }
	},
	"StructCompare": func() (a, b func()) {
		x := new(small)
		return func() { x.a = 0 }, func() { keep(*x == small{}) }
	},
	"StructFieldOfCall": func() (a, b func()) {
		x := new(holder)
		get := func() *holder { return x }
		return func() { get().list[1]++ }, func() { keep(get().list[1]) }
	},
	"PointerCompare": func() (a, b func()) {
		x := new(*int)
		return func() { *x = new(int) }, func() { keep(*x == nil) }
	},
	"ChanVariable": func() (a, b func()) {
		c := make(chan int, 1)
		return func() { c = make(chan int, 1) }, func() { keep(cap(c)) }
	},
	"IntoGlobal": func() (a, b func()) {
		return func() { sink[1].number, sink[1].text = 1, "a" }, func() { keep(sink) }
	},
	"IntoGlobalFlag": func() (a, b func()) {
		return func() { sink[0].flag = !sink[1].flag }, func() { keep(sink[0].flag) }
	},
}

var sliced = []int{1, 2, 3}

func TestRaceExpression(t *testing.T)   { expressions.races(t) }
func TestNoRaceExpression(t *testing.T) { expressions.ordered(t) }

// What isn't evaluated isn't read.
func TestNoRaceNotEvaluated(t *testing.T) {
	var x, no int
	read := map[string]func(){
		"And":     func() { keep(no == 1 && x == 1) },
		"Or":      func() { keep(no == 0 || x == 1) },
		"Address": func() { keep(&x) },
		"Closure": func() { keep(func() { keep(x) }) },
		"If": func() {
			if no == 1 {
				keep(x)
			}
		},
		"Return": func() {
			if no == 0 {
				return
			}
			x = 1
		},
	}
	for name, f := range read {
		t.Run(name, func(*testing.T) { apart(func() { x = 1 }, f) })
	}
}
