// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package stack keeps call stacks, each once, and turns return addresses into lines of the program.
//
// Input: the return addresses of go statements and of calls, and sites from package datarace.
// Output: frames as the program's author knows them, without those of commute and of the specified
// methods themselves. The package also says what was registered of a call's place: whether its
// result is used, and which calls depend on it.
//
// # Terms
//
//	stack      the return addresses of a call or a go statement, innermost first
//	depot      where stacks are kept, as long as the program runs
//	exact      of a stack: it begins with the caller of the specified method
//	elided     frames in the middle of a long stack, which are not kept or not shown
//	frame      a function with file and line; a return address has several if calls are inlined
//	prefix     what the names of a type's methods begin with in stack traces
//	site       a number that stands for a call stack; see package datarace
//	place      the line of the innermost frame of the program, as a number
//
// # Floor
//
// The package stands on packages source and option. Packages report and finding stand on it.
package stack
