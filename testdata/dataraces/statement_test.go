// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import "testing"

// statements write a variable, x for the most part, in one way and read it in another.
var statements = pairs{
	"If": func() (a, b func()) {
		var x bool
		return func() { x = true }, func() {
			if x {
				keep(1)
			}
		}
	},
	"Switch": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() {
			switch x {
			case 1, 2, 3:
				keep(1)
			}
		}
	},
	"SwitchCase": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() {
			switch y := 5; y {
			case 7, x:
				keep(1)
			}
		}
	},
	"TypeSwitch": func() (a, b func()) {
		var x any
		return func() { x = "a" }, func() {
			switch v := x.(type) {
			case string:
				keep(v)
			case int, error:
				keep(v)
			}
		}
	},
	"TypeSwitchBody": func() (a, b func()) {
		var i any = 1
		var x int
		return func() { keep(x) }, func() {
			switch i.(type) {
			case int:
				x = 2
			}
		}
	},
	"TypeAssertion": func() (a, b func()) {
		var i any = "a"
		var x string
		return func() { x = i.(string) }, func() { keep(x) }
	},
	"TypeAssertionOK": func() (a, b func()) {
		var i any = "a"
		var v string
		var ok bool
		return func() { v, ok = i.(string) }, func() { keep(v); keep(ok) }
	},
	"TypeAssertionOf": func() (a, b func()) {
		var x any = 1
		return func() { x = "a" }, func() { _, ok := x.(fmtStringer); keep(ok) }
	},
	"ForCondition": func() (a, b func()) {
		x := 3
		return func() { x = 2 }, func() {
			for i := 0; i < x; i++ {
				keep(i)
			}
		}
	},
	"ForPost": func() (a, b func()) {
		var x int
		return func() {
			for ; x < 3; x++ {
				keep(1)
			}
		}, func() { keep(x) }
	},
	"RangeInt": func() (a, b func()) {
		x := 3
		return func() { x = 2 }, func() {
			for i := range x {
				keep(i)
			}
		}
	},
	"RangeKeyAndValue": func() (a, b func()) {
		var k, v int
		return func() {
			for k, v = range []int{1, 2} {
				keep(1)
			}
		}, func() { keep(k); keep(v) }
	},
	"RangeString": func() (a, b func()) {
		x := "abc"
		return func() { x = "def" }, func() {
			for _, r := range x {
				keep(r)
			}
		}
	},
	"RangeArrayPointer": func() (a, b func()) {
		x := new([4]int)
		return func() { x[3] = 1 }, func() {
			for _, v := range x {
				keep(v)
			}
		}
	},
	"RangeChannel": func() (a, b func()) {
		c := make(chan int, 2)
		c <- 1
		close(c)
		var x int
		return func() {
			for x = range c {
				keep(1)
			}
		}, func() { keep(x) }
	},
	"RangeFunc": func() (a, b func()) {
		var x int
		seq := func(yield func(int) bool) { _ = yield(1) && yield(2) }
		return func() {
			for v := range seq {
				x += v
			}
		}, func() { keep(x) }
	},
	"RangeFuncInside": func() (a, b func()) {
		var x int
		seq := func(yield func(int) bool) { x = 1; yield(x) }
		return func() {
			for v := range seq {
				keep(v)
			}
		}, func() { keep(x) }
	},
	"SelectAssign": func() (a, b func()) {
		c := make(chan int, 1)
		c <- 1
		var x int
		return func() {
			select {
			case x = <-c:
			case <-make(chan int):
			}
		}, func() { keep(x) }
	},
	"SelectAssignOK": func() (a, b func()) {
		c := make(chan string)
		close(c)
		var v string
		var ok bool
		return func() {
			select {
			case v, ok = <-c:
			default:
			}
		}, func() { keep(v); keep(ok) }
	},
	"SelectAssignElement": func() (a, b func()) {
		c := make(chan small, 1)
		c <- small{}
		x := make([]small, 3)
		return func() {
			select {
			case x[1] = <-c:
			case <-make(chan int):
			}
		}, func() { keep(x[1].c) }
	},
	"SelectSend": func() (a, b func()) {
		c := make(chan int, 1)
		var x int
		return func() { x = 1 }, func() {
			select {
			case c <- x:
			default:
			}
		}
	},
	"Receive": func() (a, b func()) {
		c := make(chan int, 1)
		c <- 1
		x := new(holder)
		return func() { x.list[1] = <-c }, func() { keep(x.list[1]) }
	},
	"Send": func() (a, b func()) {
		c := make(chan int, 1)
		var x int
		return func() { x = 1 }, func() { c <- x }
	},
	"DeferArgument": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() { defer keep(x) }
	},
	"DeferReceiver": func() (a, b func()) {
		x := new(number)
		return func() { *x = 1 }, func() { defer x.get() }
	},
	"DeferInLoop": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() {
			for range 20 {
				defer keep(x)
			}
		}
	},
	"DeferredWrite": func() (a, b func()) {
		var x int
		return func() { defer func() { x = 1 }() }, func() { keep(x) }
	},
	"GoArgument": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() {
			done := make(chan int)
			go func(int) { done <- 1 }(x)
			<-done
		}
	},
	"PanicArgument": func() (a, b func()) {
		var x int
		return func() { x = 1 }, func() {
			defer func() { keep(recover()) }()
			panic(x)
		}
	},
	"Return": func() (a, b func()) {
		var x int
		f := func() int { return x }
		return func() { x = 1 }, func() { keep(f()) }
	},
	"ReturnTwo": func() (a, b func()) {
		var x, y int
		f := func() (int, error) { return 1, nil }
		return func() {
			var err error
			x, err = f()
			keep(err)
		}, func() { keep(x); keep(y) }
	},
	"Swap": func() (a, b func()) {
		x, y := 1, 2
		return func() { x, y = y, x }, func() { keep(x); keep(y) }
	},
	"Increment": func() (a, b func()) {
		var x int8
		return func() { x++ }, func() { x++ }
	},
	"AddAssign": func() (a, b func()) {
		var x float32
		return func() { x += 1.5 }, func() { keep(x) }
	},
	"ShiftAssign": func() (a, b func()) {
		x := uint16(1)
		return func() { x <<= 3 }, func() { keep(x) }
	},
	"AndNotAssign": func() (a, b func()) {
		var x [2]uint8
		return func() { x[1] &^= 3 }, func() { keep(x[1]) }
	},
	"Goto": func() (a, b func()) {
		var x int
		return func() {
			i := 0
		again:
			if x = i; i < 2 {
				i++
				goto again
			}
		}, func() { keep(x) }
	},
}

type fmtStringer interface{ String() string }

func TestRaceStatement(t *testing.T)   { statements.races(t) }
func TestNoRaceStatement(t *testing.T) { statements.ordered(t) }
