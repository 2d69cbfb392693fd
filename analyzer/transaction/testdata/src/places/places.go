// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package places

import "sync"

// atomic /* x */ // it says more
func F() {}

func misplaced() {
	x := 1
	/* // want "//atomic belongs to no function, type or block .put it on the line above one, or behind the brace that opens it." */ //atomic

	for range 2 {
	}
	/* // want "//atomic belongs to no function, type or block" */ //atomic
	x++
	x++ /* // want "//atomic belongs to no function" */ //atomic
	if x > 0 {
	} /* // want "//atomic belongs to no function" */ //atomic
	//commute:atomic why // want "//commute:atomic belongs to no function"
	_ = x
	type T struct{} /* // want "//atomic belongs to no function" */ //atomic
	/* // want "//atomic belongs to no function" */ //atomic
	type U struct{}
}

func statements(c chan int, x int) {
	/* // want "//atomic would leave out the condition of the if statement .put the whole statement into a block, and mark that." */ //atomic
	if x := len(c); x > 0 {
	}
	/* // want "the statement is not a block .put it into one, and mark that." */ //atomic
	switch x {
	/* // want "a case is not a block .put its statements into one, and mark that." */ //atomic
	case 1:
	case 2: /* // want "a case is not a block" */ //atomic
	}
	switch any(x).(type) { /* // want "the statement is not a block" */ //atomic
	}
	/* // want "the statement is not a block" */ //atomic
	select {
	/* // want "a case is not a block" */ //atomic
	case <-c:
	}
	if x > 1 { //atomic
		/* // want "//atomic belongs to no function" */ //atomic
	} else if x > 2 { //atomic
	} else { //atomic
	}
}

func several() {
	/* // want "there are several functions or blocks on this line .put each on a line of its own." */ //atomic
	run(func() {}, func() {})
	/* // want "there are several functions or blocks" */ //atomic
	for range seq(func() {}) {
	}
	//atomic
	run(func() { run(func() {}, func() {}) })
	//atomic
	if err := run(func() {
		_ = 1
	}); err != nil {
	}
}

func run(...func()) error          { return nil }
func seq(func()) func(func() bool) { return nil }

/* // want "I is an interface, whose methods have no bodies .mark the types that implement it, or their methods." */ //atomic
type I interface{ M() }

/* // want "A is another name of a type .mark that where it is declared." */ //atomic
type A = B

/* // want "B has no exported methods that this package declares .mark functions, or methods that are not exported." */ //atomic
type B struct{ sync.Mutex }

func (B) hidden() {}

/* // want "D has no exported methods" */ //atomic
type (
	C struct{}
	D struct{}
)

func (*C) M() {}

type (
	//atomic
	E[T any] struct{}
)

func (*E[T]) M() {}

/* // want "Both is marked both atomic and notatomic .drop one." */ //atomic
//commute:notatomic it waits
func Both() {}

//commute:notatomic nothing marks it otherwise
func Not() {}

/* // want "//commute:notatomic belongs to no function or method .put it in the doc comment of one." */ //commute:notatomic
type F1 struct{}

func notBlock() {
	//commute:notatomic // want "//commute:notatomic belongs to no function or method"
	{
	}
}

//commute:atomic
//go:noinline
func ok() {}

func trailing() { //atomic
}

/* // want "//atomic belongs to no function, type or block" */ //atomic

func later() {}

/* // want "//atomic belongs to no function, type or block" */ //atomic

var later1 int

/* // want "//atomic belongs to no function, type or block" */ //atomic

type later2 int
