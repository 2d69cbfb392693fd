// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package ecl is the commutativity logic: it parses specifications, checks that
// they are in ECL, and translates them to access points. It follows Dimitrov,
// Raychev, Vechev, Koskinen, "Commutativity Race Detection" (PLDI 2014),
// sections 4 and 6 and appendix A.
//
// Input: a .ecl file or the doc comment of a type. Output: a [Table], which
// says what points a call of each method touches and which points conflict.
// [Table.JSON] and [Table.Dot] are for other tools. [TableMethod.Atoms] are the
// Go expressions that the instrumented method computes.
//
// # Terms
//
//	formula        of a pair of methods: when two calls commute (section 4)
//	atom           a condition on the values of one call
//	disequality    x1 != y2, between a value of each call
//	beta           the truths of a method's atoms in one call, a bit for each (section 6.2)
//	access point   a class of effects of calls; a keyed one has a point for each value
//	touch          a call touches the points that its beta and its values give
//	conflict       two points conflict if calls that touch them may not commute
//	exception      an also directive: a case in which calls commute that ECL cannot express.
//	               It is tested on two calls whose points conflict
//	shadow result  a result that the method does not return
//	role           mutator, observer or arbiter
//	group, set     names for several methods that share one formula
//
// # Directives
//
// A line starts with //ecl: and a word. Other lines that start with // or # are
// prose.
//
//	//ecl:module path >=v1.2.0 <v2.0.0       the versions that the types that follow are for
//	//ecl:type import/path.Name              starts the spec of a type
//	//ecl:object import/path.name            that of a package-level variable; see below
//	//ecl:commute Put(k1, v1)/(p1), Len()/n2: formula
//	//ecl:also Store(k1, v1), Store(k2, v2): v1 == v2
//	//ecl:also Store(k1, v1)/(p1), Cas(k2, old2)/(ok2): !ok2 && v1 != old2 && p1 != old2
//	//ecl:also Add(d1)/sum1, Add(d2)/sum2: unused(sum1) && unused(sum2)
//	//ecl:observer Load(k)/(v, ok), Range    roles; a method without one is a mutator
//	//ecl:arbiter LoadOrStore
//	//ecl:mutator Store
//	//ecl:shadow Store(k, v)/(p, loaded): Swap(k, v)
//	//ecl:callback Range(f), or Update(_, f): the parameter that the method calls
//	//ecl:default false                      the formula of pairs that are not given
//	//ecl:group Read(k)/v: Get(k)/v, Peek(k, _)/v
//	//ecl:open                               calls are synchronization; nothing inside is hidden
//	//ecl:identity field                     the field that all copies of an object share
//	//ecl:new New(4)                         makes an object to test the specification with
//	//ecl:sample time.Duration: 0, time.Hour values to test it with, for parameters of a type
//
// Module, type and object are for files only. The methods of an object are
// functions of its package. An identity is for methods with value receivers.
//
// A call names its parameters and, after a slash, its results. A value that the formula does not
// use is written _; if it uses no result, all results may be left out. Shadow results are results
// that the method does not return: the directive's expression replaces the call of the original and
// yields all results. Results before a semicolon are real: Set(k)/(ok; previous). Every pair of
// methods needs a formula, except two observers, and except if there is a default.
//
// A commute directive may give the formula of many pairs. A group, defined before it is used,
// stands for methods with equal behaviour. A set {A, B} stands for methods whose values the formula
// does not use, and _ for all methods of the type. A line with two calls takes precedence over one
// with groups or sets, which takes precedence over one with _, which takes precedence over the
// default.
//
// # Formulas
//
//	S ::= x1 != y2 | S && S | true | false
//	B ::= atom of one call | !B | B && B | B || B | B == B | B != B | true | false
//	X ::= S | B | X && X | X || B                                     (definition 6.3)
//
// An atom is a boolean variable or a comparison (== != < <= > >=) of variables, their fields,
// constants, nil, arithmetic and len, with variables of one call only. A name that is no variable
// is a constant of the type's package. The two sides of || may change places, and a negation is
// applied to the parts inside. The formula of a method with itself must be symmetric. A constant
// formula is written true or false. A condition that makes no difference is an error; this check
// takes atoms as independent. docs/ecl.md has an example of everything.
//
// An also directive adds a case in which two calls commute that ECL cannot express. It is not
// compiled to points. Several also directives for one pair are alternatives:
//
//	R ::= x1 == y2 | x1 != y2 | x1 | !x1 | y2 | !y2 | unused(x1) | unused(y2) | R && R
//
// x and y alone are boolean variables; == is Go's (a previous value that was absent is nil). Unused
// says that the caller does not use x, the method's only result: the call is a statement. For calls
// in dependencies, where the use is not known, the condition is true. An alternative has at most 6
// conditions, a pair at most 4 alternatives. An alternative of a method with itself need not be
// symmetric: it is tested in both orders of the calls.
//
// # From text to table
//
//	parse.go, cursor.go, header.go, family.go, also.go   directives to a [Spec]
//	convert.go, formula.go   a formula's Go expression to a tree
//	atom.go                  atoms, in a normal form
//	fragment.go              is it in ECL (definition 6.3); negations inwards
//	check.go, constant.go    symmetry, missing pairs, conditions that make no difference
//	consolidate.go           A.3, first: subformulas of one call become atoms
//	table.go                 the translation, section 6.2
//	simplify.go              A.3, second to fourth: drop, clean up, replace
//	finish.go                keys, the order of points, names
//	print.go, dot.go, json.go, goexpr.go   output
package ecl
