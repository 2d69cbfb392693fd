// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package accessed lists what each line of a package may read and write, by name, so that reports
// can name what is at an address.
//
// Input: the syntax and types of a package. Output: for each line, variables and fields with how
// they are accessed there, and whether the line may access something that has no name.
//
// # Completeness
//
// An access to memory that another goroutine may know, which the compiler makes for a line, is one
// of those that are listed for it, or the line has an access without a name. So if a line lists one
// write alone, what the line writes is that. More may be listed than is accessed, never less:
//
//   - What a statement accesses is listed for all of its lines, but for those that are within
//     function literals.
//   - Variables of functions are listed if a literal captures them, or their address is taken. All
//     others are on the stack.
//   - An operation on a map accesses what is in it, which has the map's name. What the program then
//     does to an element of the map has none.
//   - Elements, what pointers lead to, new objects, and what a go or defer statement keeps have no
//     name.
package accessed
