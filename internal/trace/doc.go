// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package trace defines recorded traces as the input of checkers: streams of events (package
// internal/event), and tables that say what the numbers in the events stand for.
//
// The package reads and writes no files itself. Packages std, roadrunner and native each have a
// [Reader] and a [Writer] for a format, and package tracefile selects the one that a file needs.
//
// # Terms
//
//	thread            a goroutine, by its number in the trace
//	position          a number that stands for a stack of the program, or a line of a text
//	derived position  a position with the method that is called there, or the section that begins
//	place             where an event stands in the trace's file; for error messages
//	section           a transaction, as the program marks it; its name has the function and the mark
//	site              the calls of a method at a position
//	target            the object of a touch, or the object with a key
//	name, label       the name of a thing; its name in a text format, without white space
package trace
