// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package access passes the program's accesses to memory to the check for data races.
//
// Input: reads and writes with their return addresses, and begins and ends of instrumented
// functions. Output: accesses with their sites for package datarace (FastTrack, Flanagan and
// Freund, PLDI 2009), and races for package finding.
//
// # Terms
//
//	accessor  a goroutine's part in accesses to memory
//	site      a number that stands for a call stack; see package datarace
//	node      a site without its innermost return address: that of a function's caller
//	frames    the nodes of the functions that a goroutine is in, in a ring
//	offset    where a function's stack frame ends, counted from the end of the stack
//	walk      a look at the return addresses of a stack, outwards, for a node
//
// # The path of an access
//
// The template memory.go first asks package datarace whether the access repeats one of the same
// epoch, or is quickly decided. Only then does it come here. The site of most accesses is in
// [Frames]; for others the template walks the stack, and tells [Walk] of each return address.
//
// # Floor
//
// The package stands on package call: [Accessor] embeds [call.Caller]. The Goroutine of package
// runtime embeds [Accessor].
package access
