// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package ecl is the commutativity logic: it parses specifications, checks that
// they are in ECL, and translates them to access points (Dimitrov, Raychev,
// Vechev, Koskinen, "Commutativity Race Detection", PLDI 2014: sections 4 and
// 6, appendix A).
//
// Input: a .ecl file or the doc comment of a type. Output: a [Table], which
// says what points a call of each method touches and which points conflict;
// [Table.Encode] is the form for the engine, [TableMethod.Atoms] are the Go
// expressions that the instrumented method computes.
//
// # Directives
//
// A line starts with //ecl: and a word. Other lines that start with // or # are
// prose.
//
//	//ecl:type import/path.Name              starts the spec of a type (files only)
//	//ecl:commute Put(k1, v1)/(p1), Len()/n2: formula
//	//ecl:also Store(k1, v1), Store(k2, v2): v1 == v2
//	//ecl:observer Load(k)/(v, ok), Range    roles; a method without one is a mutator
//	//ecl:arbiter LoadOrStore
//	//ecl:mutator Store
//	//ecl:shadow Store(k, v)/(p, loaded): Swap(k, v)
//	//ecl:callback Range(f)
//	//ecl:default false                      the formula of pairs that are not given
//
// A call names its parameters and, after a slash, its results; _ is a value that
// is not needed, and results that are not needed may be left out together.
// Shadow results are results that the method does not return: the directive's
// expression replaces the call of the original and yields all results. Results
// before a semicolon are real: Set(k)/(ok; previous). Every pair of methods
// needs a formula, but for two observers, and but for a default.
//
// # Formulas
//
//	S ::= x1 != y2 | S && S | true | false
//	B ::= atom of one call | !B | B && B | B || B | B == B | B != B | true | false
//	X ::= S | B | X && X | X || B                                     (definition 6.3)
//
// An atom is a boolean variable or a comparison (== != < <= > >=) of variables,
// constants, nil, arithmetic and len, with variables of one call only. || is
// symmetric, negations are driven inwards. The formula of a method with itself
// must be symmetric. An also directive adds cases in which two calls commute
// that ECL cannot express: a conjunction of equalities between the calls; it is
// not compiled to points.
//
// # Encoding
//
// Lines of fields separated by tabs:
//
//	ecl1
//	type     name
//	method   index name role(o|m|a) flags("-" or "c") params results real
//	keys     method variable...           whose values name points
//	point    index kind(k|g) name         k: one per value, g: one per object
//	conflict i j                          i <= j; keyed points: for equal values
//	touch    method beta point:key...     key: index in keys, or - for g
//	formula  m1 m2 file:line:col text     m1 <= m2
//	also     m1 m2 i=j,...                variable i of m1's call equals j of m2's
//	end
package ecl
