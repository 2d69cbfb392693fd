// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package misspelt has comments that are nearly annotations, each above what it would be about.
package misspelt

/* // want "//atomc is no annotation; did you mean //atomic\\?" */ //atomc
func a()                                                           {}

/* // want "//atomics is no annotation; did you mean //atomic\\?" */ //atomics
func b()                                                             {}

/* // want "//Atomci is no annotation; did you mean //atomic\\?" */ //Atomci
func c()                                                            {}

/* // want "//go:atomic is no annotation; did you mean //atomic\\?" */ //go:atomic
func d()                                                               {}

/* // want "//go:atomc is no annotation; did you mean //atomic\\?" */ //go:atomc
func e()                                                              {}

/* // want "/. atomic ./ is no annotation; did you mean //atomic\\?" */ /* atomic */
func f()                                                                {}

/* // want "/.atomc./ is no annotation; did you mean //atomic\\?" */ /*atomc*/
func g()                                                             {}

/* // want "//aotmic is no annotation; did you mean //atomic\\?" */ //aotmic
func h()                                                            {}

/* // want "//atmoc is no annotation; did you mean //atomic\\?" */ //atmoc
func i()                                                           {}

/* // want "//notatomc is no annotation; did you mean //commute:notatomic\\?" */ //notatomc
func j()                                                                         {}

// K is documented.
//
/* // want "// atomc is no annotation; did you mean //atomic\\?" */ // atomc
func k() {
	/* // want "//atomc is no annotation; did you mean //atomic\\?" */ //atomc
	for range 3 {
	}
	// Atomc
	for range 3 {
	}
	//atomc
	x := 1 //atomc
	_ = x
	/* atomc */
	{
	}
}

// L is about what is
// atomc
func l() {}

// atomc
// and so on.
func m() {}

// topic
func n() {}

// static
func o() {}

// atoms and molecules
func p() {}

//atomc

var q int //atomc

/* // want "//commute:notatomic needs a reason: write //commute:notatomic and why" */ //commute:notatomic
func r()                                                                              {}

//commute:atomic
func s() {}
