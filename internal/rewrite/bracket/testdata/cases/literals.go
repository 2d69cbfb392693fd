// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "fmt"

var literals = []test{
	{"assigned", func() { assigned() }, "assigned[ x assigned]"},
	{"called", func() { say(fmt.Sprint(called())) }, "called[ called] 1"},
	{"deferred", func() { deferred() }, "a deferred[ b deferred]"},
	{"deferred, recovers", func() { deferredRecover() }, "a deferredRecover[ r:p deferredRecover]"},
	{"on another goroutine", func() { elsewhere(started) }, "started[ x started]"},
	{"an argument", func() { argument() }, "argument[ x argument]"},
	{"of a variable", func() { variable() }, "variable[ x variable]"},
	{"in a literal", func() { inLiteral() }, "inLiteral[ inLiteral[ x inLiteral] inLiteral]"},
	{"block in a literal", func() { blockInLiteral() }, "blockInLiteral{ x blockInLiteral} 1"},
	{"with results and a panic", func() { guard(func() { literalPanics() }) }, "literalPanics[ literalPanics] recovered:p"},
	{"an iterator", func() {
		for x := range ones {
			say(fmt.Sprint(x))
			break
		}
	}, "ones[ 1 ones]"},
}

func assigned() {
	//atomic
	f := func() {
		say("x")
	}
	f()
}

func called() int {
	return func() int { //atomic
		return 1
	}()
}

func deferred() {
	//atomic
	defer func() { say("b") }()
	say("a")
}

func deferredRecover() {
	//atomic
	defer func() {
		say(fmt.Sprint("r:", recover()))
	}()
	say("a")
	panic("p")
}

func started() {
	done := make(chan bool)
	go func() { //commute:atomic on a goroutine of its own
		defer close(done)
		say("x")
	}()
	<-done
	for len(log) < 3 { // the end comes after close
		elsewhere(func() {})
	}
}

func run(f func()) { f() }

func argument() {
	//atomic
	run(func() {
		say("x")
	})
}

// atomic
var variable = func() { say("x") }

func inLiteral() {
	//atomic
	f := func() {
		run(func() { //atomic
			say("x")
		})
	}
	f()
}

func blockInLiteral() {
	f := func() int {
		//atomic
		{
			say("x")
			return 1
		}
	}
	say(fmt.Sprint(f()))
}

func literalPanics() {
	//atomic
	func() int {
		panic("p")
	}()
}

// atomic
var ones = func(yield func(int) bool) {
	for yield(1) {
	}
}
