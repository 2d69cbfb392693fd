// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package datarace checks accesses to memory for data races: FastTrack (Flanagan and Freund, PLDI
// 2009) over the clocks of package vclock. A memory cell is an object whose reads commute, and
// whose writes commute with nothing.
//
// Input: the reads and writes of threads (goroutines), as calls on [Thread], each with its site, a
// number that stands for a call stack. Output: the record of an earlier access that the access
// races with, a [Word], which leads to its goroutine and site.
//
// # Representation
//
// Of each 8 bytes of the program's memory, a cell, the shadow has three words: one for the last
// writes, one for the reads since, and one for those of a second goroutine. A word is one access: the
// moment, the site, which of the 8 bytes, and whether it was atomic. Where one word doesn't tell all, it
// leads to a block of up to 16 words instead: of bytes that were written by different functions or at
// different moments, and of more readers that are not ordered. Cells of the same history share a block, which never
// changes; what a word becomes by an access is remembered (see memo.go), for the next cells mostly have the same. Site
// and moment are in the word, so that they are there however much later a race is found.
//
// Accesses by one function to neighbouring bytes of a cell at one moment are one word, with the site of the last.
//
// A moment is a number for an epoch of a goroutine, so that it fits into a word. Moments and blocks that
// no word of the shadow mentions any more are found by going through the shadow, a page at a time,
// whenever twice as many are in use as were left the last time, or as take a share of the shadow's memory (see collect.go).
//
// The shadow of 64 MB is mapped at the first access there; the system backs what is touched.
//
// # What is exact
//
// An access races with an earlier one if the two overlap, one of them writes, not both are atomic,
// and the earlier doesn't happen before it. The package finds one such for each access that has
// one, with these exceptions: a write that follows a write counts for both, and an atomic one
// for the atomic reads before it; of more than 16
// accesses to one cell that are not ordered, some are forgotten; accesses that are made at the
// same instant, by processors that see each other's only afterwards, may miss each other; and so may those to a cell whose
// block is given back because its maker was stopped, at the wrong instant, for as long as the collector takes.
//
// # Costs
//
// An access that repeats one of the same moment: one load from the shadow, or two. Others: O(1), but for
// the lookup of an epoch in a vector clock, O(log n) with base 16. Memory, for each byte of pages of 4 KB that are
// written, read, and read by a second goroutine: 1 byte each; a quarter of one for the sites of allocations; 14 bytes
// and more for each word in a block; 9 bytes for a moment, in runs of 16.
package datarace
