// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package source keeps the facts about their source that packages have registered: the engine can't
// see these in a running program.
//
// Input: the registrations that watched packages make when they are initialized. Output: the
// directive that holds at a line, the declaration of an object or a global variable, the calls on a
// line, and whether a function's package is watched.
//
// # Terms
//
//	registration  what a package says of its source, once, at its start
//	directive     //commute:ignore or //commute:concurrent, with the lines that it holds for
//	declaration   where the variable, field or type of an object is declared, and its name
//	site line     a line that calls a specified method
//	layer         what kind of package a return address is in: watched, sync, the runtime
//	global        a variable at package level, with its addresses
//
// # Floor
//
// The package stands on package text. Packages stack, counts and report stand on it.
package source
