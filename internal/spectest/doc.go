// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spectest tries to refute specifications on the code that they are for, and measures how
// much they miss. It also infers them.
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
// # Inference
//
// [Infer] runs cases without a formula. The server answers whether the calls commuted, and which
// conditions were true of their values in either order. Package weakest finds the weakest formula
// for these samples. New cases are drawn, many of them near those in which the formula holds, until
// none refutes it. Where the parts of the two objects differ, and no call has told them apart,
// further calls look for a difference. Methods of which nothing is known commute with none.
//
//	sample      what came of a case: truths of conditions in either order, and whether it commuted
//	alike       of the objects of the two orders: reflect.DeepEqual says that they are equal
//	probe       calls that look for a difference between objects that are not alike
//	idle        of a method: random, never returns, or makes no difference
//	blind       there is an idle method, so only objects that are alike count as equal
//
// # What is not seen
//
// Some states are not reached by any short sequence of calls of the specified methods. Arguments
// are among a few of each type (//ecl:sample adds some). Changes of a state may be shown by no
// observer.
package spectest
