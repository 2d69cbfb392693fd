// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"runtime"
)

var blocks = []test{
	{"block", func() { plain() }, "a plain{ b plain} c"},
	{"empty block", func() { empty() }, "empty{ empty}"},
	{"nested blocks", nested, "nested{ a nested{ b nested} c nested} d"},
	{"panic in a block", func() { guard(blockPanics) }, "blockPanics{ a deferred blockPanics} recovered:p"},
	{"panic recovered after a block", func() { blockRecovers() }, "blockRecovers{ a r:p blockRecovers}"},
	{"panic behind a block", func() { guard(behind) }, "behind{ a behind} deferred recovered:p"},
	{"Goexit in a block", func() { elsewhere(blockExits) }, "blockExits{ deferred blockExits}"},
	{"goto out", func() { gotoOut() }, "gotoOut{ a gotoOut} c"},
	{"goto back", func() { gotoBack(2) }, "gotoBack{ 2 gotoBack} gotoBack{ 1 gotoBack} gotoBack{ 0 end gotoBack}"},
	{"goto inside", func() { gotoInside(2) }, "gotoInside{ 2 1 0 gotoInside}"},
	{"goto out of the inner one", func() { gotoInner() }, "gotoInner{ gotoInner{ a gotoInner} b gotoInner}"},
	{"labeled block", func() { labeled() }, "labeled{ a labeled} b"},
	{"ends in a label", func() { endLabel(true) }, "endLabel{ a endLabel} b"},
	{"in a switch", func() { inSwitch(1) }, "one inSwitch{ x inSwitch} two end"},
	{"break out of a switch", func() { inSwitch(3) }, "inSwitch{ three inSwitch} end"},
	{"switch inside", func() { switchInside(1) }, "switchInside{ a b end switchInside}"},
	{"in a select", func() { inSelect() }, "inSelect{ x inSelect} end"},
	{"else block", func() { elseBlock(false) }, "elseBlock{ b elseBlock}"},
	{"if body", func() { elseBlock(true) }, "elseBlock{ a elseBlock}"},
	{"in a marked function", Both, "Both( a Both{ b Both} c Both)"},
	{"in a generic function", func() { generic("g") }, "generic[...]{ g generic[...]}"},
	{"own panic", func() { new(own).f() }, "(*own).f{ not panic (*own).f} end"},
	{"shadowed label", func() { labels() }, "labels{ labels} labels{ labels} x"},
}

func plain() {
	say("a")
	//atomic
	{
		say("b")
	}
	say("c")
}

func empty() {
	//atomic
	{
	}
}

func nested() {
	{ //commute:atomic with a reason
		say("a")
		//atomic
		{
			say("b")
		}
		say("c")
	}
	say("d")
}

func blockPanics() {
	defer say("deferred")
	//atomic
	{
		say("a")
		panic("p")
	}
}

func blockRecovers() {
	defer func() { say(fmt.Sprint("r:", recover())) }()
	//atomic
	{
		say("a")
		panic("p")
	}
}

func behind() {
	defer say("deferred")
	//atomic
	{
		say("a")
	}
	panic("p")
}

func blockExits() {
	defer say("deferred")
	//atomic
	{
		runtime.Goexit()
	}
}

func gotoOut() {
	//atomic
	{
		say("a")
		goto out
	}
out:
	say("c")
}

func gotoBack(n int) {
again:
	//atomic
	{
		say(fmt.Sprint(n))
		if n > 0 {
			n--
			goto again
		}
		say("end")
	}
}

func gotoInside(n int) {
	//atomic
	{
	again:
		say(fmt.Sprint(n))
		if n > 0 {
			n--
			goto again
		}
	}
}

func gotoInner() {
	//atomic
	{
		//atomic
		{
			say("a")
			goto b
		}
	b:
		say("b")
	}
}

func labeled() {
	goto block
block:
	//atomic
	{
		say("a")
	}
	say("b")
}

func endLabel(skip bool) {
	//atomic
	{
		say("a")
		if skip {
			goto end
		}
		say("not here")
	end:
	}
	say("b")
}

func inSwitch(n int) {
	switch n {
	case 1:
		say("one")
		//atomic
		{
			say("x")
		}
		fallthrough
	case 2:
		say("two")
	case 3:
		//atomic
		{
			say("three")
			if n == 3 {
				break
			}
			say("not here")
		}
		say("nor here")
	}
	say("end")
}

func switchInside(n int) {
	//atomic
	{
		switch n {
		case 1:
			say("a")
			fallthrough
		case 2:
			say("b")
			break
		}
		say("end")
	}
}

func inSelect() {
	c := make(chan int, 1)
	c <- 1
	select {
	case <-c:
		//atomic
		{
			say("x")
			if c != nil {
				break
			}
			say("not here")
		}
	default:
		say("nor here")
	}
	say("end")
}

func elseBlock(b bool) {
	if b { //atomic
		say("a")
	} else { //atomic
		say("b")
	}
}

// atomic
func Both() {
	say("a")
	//atomic
	{
		say("b")
	}
	say("c")
}

func generic[T any](x T) {
	//atomic
	{
		say(fmt.Sprint(x))
	}
}

type own struct{}

// f has a panic of its own, which returns.
func (*own) f() {
	panic := func(string) { say("not panic") }
	//atomic
	{
		panic("p")
	}
	say("end")
}

// labels has the same label in a literal.
func labels() {
	for range 2 {
		//atomic
		{
			func() {
				goto out
			out:
			}()
			goto out
		}
	out:
	}
	say("x")
}
