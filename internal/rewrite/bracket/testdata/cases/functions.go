// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
)

var functions = []test{
	{"begun by init", func() { log = append(log, atInit...) }, "init.0( x init.0)"},
	{"block in init", func() { log = append(log, inBlock...) }, "init.2{ y init.2}"},
	{"return", func() { say(fmt.Sprint(Return(1))) }, "Return( 1 Return) 2"},
	{"several results", func() { say(fmt.Sprint(Several())) }, "Several( x Several) 1 error"},
	{"named results", func() { say(fmt.Sprint(Named())) }, "Named( x y Named) 7"},
	{"empty", Empty, "Empty( Empty)"},
	{"one line", func() { say(fmt.Sprint(OneLine())) }, "OneLine( OneLine) 3"},
	{"deferred calls are inside", Deferred, "Deferred( body second first Deferred)"},
	{"panic", func() { guard(Panics) }, "Panics( deferred Panics) recovered:p"},
	{"recovers", func() { say(fmt.Sprint(Recovers())) }, "Recovers( recovered p Recovers) 9"},
	{"panics again", func() { guard(Again) }, "Again( again Again) recovered:second"},
	{"recovers for another", func() { outer() }, "body Recover( r:p Recover)"},
	{"Goexit", func() { elsewhere(Exits) }, "Exits( deferred Exits)"},
	{"value receiver", func() { Value{1}.Method() }, "Value.Method( 1 Value.Method)"},
	{"pointer receiver", func() { new(Value).Pointer() }, "(*Value).Pointer( 0 (*Value).Pointer)"},
	{"method value", func() { f := (*Value).Pointer; f(&Value{2}) }, "(*Value).Pointer( 2 (*Value).Pointer)"},
	{"generic", func() { say(Generic(2)) }, "Generic[...]( int Generic[...]) x"},
	{"generic method", func() { new(List[string]).Push("a") }, "(*List[...]).Push( a (*List[...]).Push)"},
	{"nested", Outer, "Outer( Inner( x Inner) Outer)"},
	{"recursive", func() { Down(2) }, "Down( 2 Down( 1 Down( 0 Down) Down) Down)"},
	{"iterator", func() {
		for x := range Two {
			say(fmt.Sprint(x))
		}
	}, "Two( 1 2 done Two)"},
	{"iterator left", func() {
		for range Two {
			say("once")
			break
		}
	}, "Two( once left Two)"},
	{"pulled", pulled, "Two( 1 2 done Two) over"},
	{"pulled, then stopped", stopped, "Two( 1 left Two) over"},
	{"by its type", func() { new(Typed).A(); new(Typed).B(); new(Typed).c() }, "(*Typed).A( a (*Typed).A) b c"},
	{"goto", func() { Goto(3) }, "Goto( 3 2 1 Goto)"},
	{"go inside", Starts, "Starts( other x Starts)"},
	{"deferred itself", func() { func() { defer Empty(); say("x") }() }, "x Empty( Empty)"},
	{"variadic", func() { Variadic(1, 2) }, "Variadic( 2 Variadic)"},
	{"function result", func() { say(FunctionResult()()) }, "FunctionResult( FunctionResult) f"},
}

var atInit, inBlock []string

// atomic
func init() { say("x") }

func init() { atInit, log = log, nil }

func init() {
	//atomic
	{
		say("y")
	}
	inBlock = log
}

// atomic
func Return(n int) int { return n + say(fmt.Sprint(n)) - 1 }

// Several has several results.
//
//commute:atomic with a reason
func Several() (int, error) {
	say("x")
	return 1, errors.New("error")
}

// Named has a name for its result.
// atomic
func Named() (n int) {
	defer func() { n += 2; say("y") }()
	n = 4
	say("x")
	n++
	return
}

// atomic
func Empty() {}

// atomic
func OneLine() int { return 3 }

func Deferred() { //atomic
	defer say("first")
	defer func() { say("second") }()
	say("body")
}

// atomic
func Panics() {
	defer say("deferred")
	panic("p")
}

// atomic
func Recovers() (n int) {
	defer func() {
		say(fmt.Sprint("recovered ", recover()))
		n = 9
	}()
	panic("p")
}

// atomic
func Again() {
	defer func() {
		recover()
		say("again")
		panic("second")
	}()
	panic("first")
}

func outer() {
	defer Recover()
	say("body")
	panic("p")
}

// Recover calls recover itself, and is deferred by another.
//
// atomic
func Recover() { say(fmt.Sprint("r:", recover())) }

// atomic
func Exits() {
	defer say("deferred")
	runtime.Goexit()
}

type Value struct{ n int }

// atomic
func (v Value) Method() { say(fmt.Sprint(v.n)) }

// atomic
func (v *Value) Pointer() { say(fmt.Sprint(v.n)) }

// atomic
func Generic[T any](x T) string { say(fmt.Sprintf("%T", x)); return "x" }

type List[T any] struct{ list []T }

// atomic
func (l *List[T]) Push(x T) { l.list = append(l.list, x); say(fmt.Sprint(x)) }

// atomic
func Outer() { Inner() }

// atomic
func Inner() { say("x") }

// atomic
func Down(n int) {
	say(fmt.Sprint(n))
	if n > 0 {
		Down(n - 1)
	}
}

// atomic
func Two(yield func(int) bool) {
	if !yield(1) || !yield(2) {
		say("left")
		return
	}
	say("done")
}

func pulled() {
	next, stop := iter.Pull(Two)
	defer stop()
	for {
		n, ok := next()
		if !ok {
			break
		}
		say(fmt.Sprint(n))
	}
	say("over")
}

func stopped() {
	next, stop := iter.Pull(Two)
	n, _ := next()
	say(fmt.Sprint(n))
	stop()
	say("over")
}

// Typed is marked as a whole.
//
// atomic
type Typed struct{}

func (*Typed) A() { say("a") }

// B is not.
//
//commute:notatomic it waits
func (*Typed) B() { say("b") }

func (*Typed) c() { say("c") }

// atomic
func Goto(n int) {
again:
	if n == 0 {
		return
	}
	say(fmt.Sprint(n))
	n--
	goto again
}

// atomic
func Starts() {
	elsewhere(func() { say("other") })
	say("x")
}

// atomic
func Variadic(list ...int) { say(fmt.Sprint(len(list))) }

// atomic
func FunctionResult() func() string { return func() string { return "f" } }
