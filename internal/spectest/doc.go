// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spectest tries to refute specifications on the code that they are for, and measures how
// much they miss.
//
// Input: a package with specifications. Output: a [Report]: for each pair of methods, how often two
// calls that its formula lets commute did not (one such case, as a Go test), and how often two
// calls commuted that it does not let.
//
// A case is a sequence of calls, which builds a state, and two calls, which are made in either
// order on two objects with that state (definition 4.2 of Dimitrov et al., "Commutativity Race
// Detection", PLDI 2014). They commute if each call has the same results in both orders, and if all
// observers then tell the same of both objects. Cases are drawn, and those that refute are made
// smaller, by package rapid in this process; they are run by package serve in another, which is the
// user's package with generated code added through the go command's -overlay flag. So nothing is
// written to the user's folders, and unexported types can be tested. Types of other modules, and of
// the standard library, are tested from a generated program, which has their exported names only.
//
// What it does not see: states that no short sequence of calls of the specified methods reaches,
// arguments that are not among the few of each type (//ecl:sample adds some), and changes of a
// state that no observer shows.
package spectest
