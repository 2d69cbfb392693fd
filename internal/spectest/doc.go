// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spectest tries to refute specifications on the code that they are for, and measures how
// much they miss.
//
// Input: a package with specifications. Output: a [Report], with two counts for each pair of
// methods. The first is how often two calls did not commute although their formula says so; one
// such case is printed as a Go test. The second is how often two calls commuted although the
// formula doesn't say so.
//
// # Terms
//
//	case        a sequence of calls, which builds a state, and two calls, the pair's
//	order       which of the two calls is made first; each order has an object of its own
//	outcome     what a call returns, how it ends, and what its callbacks are given
//	view        a call after the two, by which their objects are compared; observers have views
//	refutation  a case whose formula holds, and in which an outcome differs between the orders
//	held        of a formula: it is true of the values of the two calls
//	pointee     a variable of the generated code that arguments point to
//	server      the process that runs cases: package serve, inside of the user's package
//
// # Method
//
// Both orders of a case are run on two objects with the same state (definition 4.2 of Dimitrov et
// al., "Commutativity Race Detection", PLDI 2014). The calls commute if each has the same outcome
// in both orders, and if then all observers return the same for both objects. Cases are drawn, and
// those that refute are made smaller, by package rapid in this process.
//
// The server is another process. It is the user's package with generated code, which is added by
// the go command's -overlay flag. So nothing is written to the user's folders, and unexported types
// can be tested. Types of other modules, and of the standard library, are tested from a generated
// program, which has their exported names only.
//
// # What is not seen
//
// Some states are not reached by any short sequence of calls of the specified methods. Arguments
// are among a few of each type (//ecl:sample adds some). Changes of a state may be shown by no
// observer.
package spectest
