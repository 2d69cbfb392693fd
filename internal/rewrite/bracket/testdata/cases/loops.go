// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "fmt"

var loops = []test{
	{"block in a loop", func() { inLoop() }, "inLoop{ 0 inLoop} inLoop{ 1 inLoop} inLoop{ inLoop} end"},
	{"body of a loop", func() { body() }, "body{ 0 body} body{ body} body{ 2 body} body{ body} end"},
	{"body of a range", func() { ranged() }, "ranged{ a ranged} ranged{ b ranged}"},
	{"labeled", func() { labeledLoops() }, "labeledLoops{ 0 0 labeledLoops} labeledLoops{ 1 0 labeledLoops} end"},
	{"label inside", func() { labelInside() }, "labelInside{ 0 1 x labelInside} end"},
	{"label of the body", func() { labelOfBody() }, "labelOfBody{ labelOfBody} labelOfBody{ labelOfBody} end"},
	{"loop inside", func() { loopInside() }, "loopInside{ 0 2 x loopInside}"},
	{"break in a select in a loop", func() { selects() }, "selects{ x selects} selects{ selects} end"},
	{"range over a function", func() { overFunction() }, "overFunction{ 1 overFunction} overFunction{ overFunction} tail"},
	{"break inside a function's loop", func() { breakInside() }, "breakInside{ 1 tail x breakInside}"},
	{"continue out of a function's loop", func() { continueOut() }, "continueOut{ 1 continueOut} tail continueOut{ 1 continueOut} tail end"},
	{"panic in the second round", func() { guard(second) }, "second{ 0 second} second{ 1 deferred second} recovered:p"},
	{"continue in a switch", func() { continueInSwitch() }, "continueInSwitch{ continueInSwitch} continueInSwitch{ x continueInSwitch}"},
	{"endless", func() { say(fmt.Sprint(endless())) }, "endless{ 0 endless} endless{ 1 endless} endless{ endless} 2"},
}

// three is an iterator that says when it ends.
func three(yield func(int) bool) {
	defer say("tail")
	_ = yield(1) && yield(2) && yield(3)
}

func inLoop() {
	for i := range 3 {
		//atomic
		{
			if i == 2 {
				goto end
			}
			say(fmt.Sprint(i))
		}
		continue
	end:
		break
	}
	say("end")
}

func body() {
	//atomic
	for i := 0; ; i++ {
		if i == 1 {
			continue
		}
		if i == 3 {
			break
		}
		say(fmt.Sprint(i))
	}
	say("end")
}

func ranged() {
	for _, s := range []string{"a", "b"} { //atomic
		say(s)
	}
}

func labeledLoops() {
outer:
	for i := range 3 {
		//atomic
		{
			for j := range 3 {
				say(fmt.Sprint(i))
				say(fmt.Sprint(j))
				if i == 1 {
					break outer
				}
				continue outer
			}
		}
	}
	say("end")
}

func labelInside() {
	//atomic
	{
	inner:
		for i := range 3 {
			for range 3 {
				if i == 1 {
					say("1")
					break inner
				}
				say(fmt.Sprint(i))
				continue inner
			}
		}
		say("x")
	}
	say("end")
}

func labelOfBody() {
next:
	//atomic
	for range 2 {
		for {
			continue next
		}
	}
	say("end")
}

func loopInside() {
	//atomic
	{
		for i := range 5 {
			if i == 1 {
				continue
			}
			if i == 3 {
				break
			}
			say(fmt.Sprint(i))
		}
		say("x")
	}
}

func selects() {
	c := make(chan int, 1)
	c <- 1
loop:
	//atomic
	for {
		select {
		case <-c:
			say("x")
			break
		default:
			break loop
		}
	}
	say("end")
}

func overFunction() {
	//atomic
	for x := range three {
		if x == 2 {
			break
		}
		say("1")
	}
}

func breakInside() {
	//atomic
	{
		for x := range three {
			say(fmt.Sprint(x))
			break
		}
		say("x")
	}
}

func continueOut() {
outer:
	for range 2 {
		//atomic
		{
			for x := range three {
				say(fmt.Sprint(x))
				continue outer
			}
		}
	}
	say("end")
}

func second() {
	defer say("deferred")
	for i := range 2 {
		//atomic
		{
			say(fmt.Sprint(i))
			if i == 1 {
				panic("p")
			}
		}
	}
}

// endless ends with a block that can only be left by a return.
func endless() int {
	i := 0
	for {
		//atomic
		{
			if i == 2 {
				return i
			}
			say(fmt.Sprint(i))
			i++
		}
	}
}

func continueInSwitch() {
	for i := range 2 {
		//atomic
		{
			switch i {
			case 0:
				continue
			}
			say("x")
		}
	}
}
