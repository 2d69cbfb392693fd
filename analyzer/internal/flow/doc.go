// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package flow has the analyses of the SSA form of one package that the analyzers share:
// reachability of instructions, equality of values, and dependence.
//
// Input: a typed package. Output: a [Program], with a [Function] for each function and literal.
//
//	term       a value as an expression; values with equal terms are equal, under conditions
//	leaf       a value that no term describes further, such as the result of a call
//	address    the term of a pointer; it stands for the variable that it points to
//	slice      the values and branches of a function that depend on one value: a forward slice
//	control    a branch controls a block if it decides whether the block is reached
//
// Dependence is that of program slicing (Ferrante, Ottenstein and Warren, The Program Dependence
// Graph and Its Use in Optimization, TOPLAS 1987, section 3.1). Files: build.go makes the SSA form,
// graph.go has control flow, delay.go branches that only wait, term.go terms, depend.go slices.
package flow
