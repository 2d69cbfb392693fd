// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package option has the options of a watched program: what the variable COMMUTE says, and the
// lines of the suppressions file.
//
// Input: the environment, and the file that it names. Output: [Current], and whether a text is
// [Suppressed]. A wrong word in the variable makes a warning and is left out, and the program goes
// on. The commands test and run have read the variable before, and end instead.
//
// # Terms
//
//	option       name=value; package internal/option has the same table for help and documents
//	level        which findings are reported
//	suppression  a line of the suppressions file: a pattern for functions, files, declarations
//	used         of a suppression: it has matched in this run
//
// # Floor
//
// The package stands on package output, for its warnings. Packages stack and finding stand on it.
package option
