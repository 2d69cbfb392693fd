// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"io"
)

var returns = []test{
	{"no result", func() { noResult() }, "noResult{ a noResult} deferred"},
	{"one result", func() { say(fmt.Sprint(oneResult())) }, "oneResult{ x oneResult} deferred 1"},
	{"constants", func() { say(fmt.Sprint(constants())) }, "constants{ constants} 1 <nil> <nil>"},
	{"two results by a call", func() { say(fmt.Sprint(byCall())) }, "byCall{ pair byCall} 1 e"},
	{"blank results", func() { say(fmt.Sprint(blank())) }, "blank{ blank} 1 e"},
	{"named results", func() { say(fmt.Sprint(named())) }, "named{ x named} deferred 1 4 e"},
	{"naked return", func() { say(fmt.Sprint(naked())) }, "naked{ naked} 5"},
	{"results that swap", func() { say(fmt.Sprint(swap(1, 2))) }, "swap{ swap} 2 1"},
	{"shadowed result", func() { say(fmt.Sprint(shadowed())) }, "shadowed{ shadowed} deferred e"},
	{"shadowed in a loop", func() { say(fmt.Sprint(shadowedLoop())) }, "shadowedLoop{ shadowedLoop} shadowedLoop{ shadowedLoop} deferred 1"},
	{"reused, not shadowed", func() { say(fmt.Sprint(reused())) }, "reused{ reused} 1 e"},
	{"type switch shadows", func() { say(fmt.Sprint(typeSwitch(1))) }, "typeSwitch{ typeSwitch} int"},
	{"panic in the results", func() { guard(func() { panicsThere() }) }, "panicsThere{ x deferred panicsThere} recovered:p"},
	{"deferred call changes the result", func() { say(fmt.Sprint(changed())) }, "changed{ changed} deferred 3"},
	{"deferred call recovers", func() { say(fmt.Sprint(recovered())) }, "recovered{ recovered} 2"},
	{"nested", func() { say(fmt.Sprint(nestedReturn())) }, "nestedReturn{ nestedReturn{ x nestedReturn} nestedReturn} 1"},
	{"in a loop", func() { say(fmt.Sprint(loopReturn())) }, "loopReturn{ loopReturn} loopReturn{ loopReturn} 1"},
	{"out of an iterator's loop", func() { say(fmt.Sprint(outOfIterator())) }, "outOfIterator{ 1 tail outOfIterator} deferred 1"},
	{"out of an iterator's loop, no result", func() { outOfNaked() }, "outOfNaked{ 1 tail outOfNaked} deferred"},
	{"in the body of an iterator's loop", func() { say(fmt.Sprint(inIterator())) }, "inIterator{ inIterator} inIterator{ inIterator} tail 2"},
	{"labeled return", func() { say(fmt.Sprint(labeledReturn())) }, "labeledReturn{ labeledReturn} 1"},
	{"function type results", func() { say(functionType()()) }, "functionType{ functionType} x"},
	{"channel results", func() { say(fmt.Sprint(channelType() == nil)) }, "channelType{ channelType} true"},
	{"qualified type", func() { say(fmt.Sprint(qualified(nil) == io.EOF)) }, "qualified{ qualified} true"},
	{"generic", func() { say(fmt.Sprint(genericReturn[string]("g"))) }, "genericReturn[...]{ genericReturn[...]} g"},
	{"many lines", func() { say(fmt.Sprint(manyLines())) }, "manyLines{ a b manyLines} 1 2"},
	{"literal in the results", func() { say(fmt.Sprint(literalResult()())) }, "literalResult{ literalResult} literalResult{ literalResult} 7"},
	{"all paths return", func() { say(allPaths(1)); say(allPaths(2)) }, "allPaths{ allPaths} one allPaths{ allPaths} other"},
}

func noResult() {
	defer say("deferred")
	//atomic
	{
		say("a")
		return
	}
}

func oneResult() int {
	defer say("deferred")
	//atomic
	{
		if true {
			return say("x") - 1
		}
	}
	return 2
}

func constants() (int, error, any) {
	//atomic
	{
		return 1, nil, nil
	}
}

func pair() (int, error) { say("pair"); return 1, errors.New("e") }

func byCall() (int, error) {
	//atomic
	{
		return pair()
	}
}

func blank() (_ int, _ error) {
	//atomic
	{
		return 1, errors.New("e")
	}
}

func named() (a, b int, err error) {
	defer func() { say("deferred"); b++ }()
	//atomic
	{
		if b == 0 {
			return say("x") - 1, 3, errors.New("e")
		}
	}
	return
}

func naked() (n int) {
	//atomic
	{
		n = 5
		return
	}
}

func swap(x, y int) (a, b int) {
	a, b = x, y
	//atomic
	{
		return b, a
	}
}

func shadowed() (err error) {
	defer say("deferred")
	//atomic
	{
		if err := errors.New("e"); err != nil {
			return err
		}
	}
	return nil
}

func shadowedLoop() (n int) {
	defer func() { say("deferred") }()
	for i := range 3 {
		//atomic
		{
			n := i
			if n == 1 {
				return n
			}
		}
	}
	return 5
}

func reused() (n int, err error) {
	n, x := 1, 2
	//atomic
	{
		return n + x - 2, errors.New("e")
	}
}

func typeSwitch(v any) (s string) {
	//atomic
	{
		switch s := v.(type) {
		case int:
			return fmt.Sprintf("%T", s)
		}
		return "none"
	}
}

func panics() int { say("x"); panic("p") }

func panicsThere() int {
	defer say("deferred")
	//atomic
	{
		return panics()
	}
}

func changed() (n int) {
	defer func() { say("deferred"); n++ }()
	//atomic
	{
		return 2
	}
}

func recovered() int {
	defer func() { recover() }()
	defer func() { panic("late") }()
	//atomic
	{
		return 2
	}
}

func nestedReturn() int {
	//atomic
	{
		//atomic
		{
			return say("x") - 2
		}
	}
}

func loopReturn() int {
	for i := 0; ; i++ {
		//atomic
		{
			if i == 1 {
				return i
			}
		}
	}
}

func outOfIterator() int {
	defer say("deferred")
	//atomic
	{
		for x := range three {
			return say(fmt.Sprint(x)) - 1
		}
	}
	return 5
}

func outOfNaked() {
	defer say("deferred")
	//atomic
	{
		for x := range three {
			say(fmt.Sprint(x))
			return
		}
	}
}

func inIterator() int {
	for x := range three {
		//atomic
		{
			if x == 2 {
				return x
			}
		}
	}
	return 5
}

func labeledReturn() int {
	//atomic
	{
		goto end
	end:
		return 1
	}
}

func functionType() func() string {
	//atomic
	{
		return func() string { return "x" }
	}
}

func channelType() <-chan int {
	//atomic
	{
		return nil
	}
}

func qualified(r io.Reader) error {
	//atomic
	{
		if r == nil {
			return io.EOF
		}
	}
	return nil
}

func genericReturn[T any](x T) T {
	//atomic
	{
		return x
	}
}

type account struct{ n int }

func manyLines() (int, int) {
	//atomic
	{
		return say("a") - 1,
			// the second
			say("b") - 1 // and a comment
	}
}

func literalResult() func() int {
	//atomic
	{
		return func() int {
			//atomic
			{
				return 7
			}
		}
	}
}

func allPaths(n int) string {
	//atomic
	{
		if n == 1 {
			return "one"
		} else {
			return "other"
		}
	}
}
