// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package passon runs the tools that commute doesn't change, before the rest of commute is
// initialized. Half of the tools of a build are none but the assembler and vet, and package rapid
// alone, which commute spec test needs, takes three times as long to be initialized as they do.
//
// Input: the command line of the program. Output: none, or the tool's, in place of this program.
//
// Packages whose imports are initialized are themselves initialized in the order of their import
// paths. So this one comes before pgregory.net/rapid, and before package environ, which hides a
// part of the environment: it may import no more than that. Where a process can't be replaced it
// does nothing, and package toolexec does the same later.
package passon

// Driven is the flag of commute toolexec by which commute test, run and build give all else in
// other ways.
const Driven = "-driven"
