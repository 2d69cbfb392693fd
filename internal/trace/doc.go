// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package trace is recorded traces as the checkers take them. These are streams of events (package
// internal/event), and tables that say what the numbers in the events stand for.
//
// Input and output: nothing on its own. Packages std, roadrunner and native have a [Reader] and a
// [Writer] each for a format, and package tracefile finds out which one a file needs.
//
// # Terms
//
//	thread            a goroutine, by its number in the trace
//	position          a number that stands for a stack of the program, or a line of a text
//	derived position  a position with the method that is called there, or the section that begins
//	place             where an event stands in the trace's file; for error messages
//	section           a transaction, as the program marks it; its name says what and where
//	site              the calls of a method at a position
//	target            the object that a touch is about, or the object and a key
//	name, label       what a thing is called; what it is called in a text, without white space
package trace
