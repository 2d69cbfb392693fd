// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package misses

/* // want "//Atomic is no annotation; did you mean //atomic\\?" */ //Atomic
func a()                                                            {}

/* // want "//atomic: is no annotation; did you mean //atomic\\?" */ //atomic:
func b()                                                             {}

/* // want "//atomic: is no annotation; did you mean //commute:atomic\\?" */ //atomic: money is neither made nor lost
func c()                                                                     {}

/* // want "//notatomic is no annotation; did you mean //commute:notatomic\\?" */ //notatomic it waits
func d()                                                                          {}

// commute:atomic why // want "// commute:atomic is no annotation; did you mean //commute:atomic\\?"
func e() {
	//commute:Atomic why // want "//commute:Atomic is no annotation; did you mean //commute:atomic\\?"
	{
	}
	/* // want "//ATOMIC. is no annotation; did you mean //atomic\\?" */ //ATOMIC.
	for range 2 {
	}
}

func f() {
	x := 1
	// It is
	// atomic
	{
		x++
	}
	// atomic
	x++
	//commute:Atomic why // want "//commute:Atomic is no annotation; did you mean //commute:atomic\\?"
	x++
	// commute:atomic is how it is written
	x++
}
