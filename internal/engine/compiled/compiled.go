// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package compiled declares what the code that commute writes into packages hands to the engine, as
// composite literals and variables of these types. It has no functions: both sides are made of the
// declarations here, the engine by its imports and the written code by package literal, which
// prints them.
//
// Input and output: none.
package compiled

// A Table is the compiled specification of a type: an access point representation (definition 4.4
// of the paper on commutativity races).
type Table struct {
	TypeName string
	Methods  []Method
	Points   []Point
	Formulas []Formula
	Also     []Alternative
}

// A Method of the type.
type Method struct {
	Name     string
	Role     byte // 'o' observer, 'm' mutator, 'a' arbiter
	Callback bool // it calls back into the program while it is under way
	Open     bool // it is synchronization itself
	Derived  bool // its formulas say what the code does, not what its user wants
	Params   string
	Results  string // names, comma separated, as those of the parameters
	Visible  int    // the number of results that callers see; the others are shadows
	Keys     []uint8
	Touch    [][]Touch // by beta
}

// A Touch is a point that a call touches, and which of the call's keys it has, 0 if it has none.
type Touch struct{ Point, Key uint8 }

// A Point is a class of access points: one for each key, or one for the object.
type Point struct {
	Name      string
	Keyed     bool
	Conflicts uint64 // set of points
}

// A Formula is what the specification says of two methods, of which the first has no higher number.
type Formula struct {
	First, Second uint8
	Pos, Text     string
}

// An Alternative makes calls of two methods commute whose points conflict, if its conditions hold.
type Alternative struct {
	First, Second uint8
	Conditions    []Condition
}

// A Condition is about values of the two calls: Op '=' or '!' compares value I of the first call
// with J of the second; '+' or '-' says that value I of call Of (0 or 1) is true or false, '~' that
// its caller doesn't use it.
type Condition struct {
	Op       byte
	Of, I, J uint8
}
