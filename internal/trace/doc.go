// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package trace is recorded traces as the checkers take them: streams of events (package
// internal/event) and tables that say what the numbers in the events stand for.
//
// Input and output: nothing on its own. Packages std, roadrunner and native have a [Reader] and a
// [Writer] each for a format, and package tracefile finds out which one a file needs.
package trace
