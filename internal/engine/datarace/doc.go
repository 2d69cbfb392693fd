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
// # Terms
//
//	cell              8 bytes of the program's memory, aligned
//	shadow            what is kept of the program's memory, in regions of 64 MB and pages of 4 KB
//	access            a read or write, plain or atomic, of some bytes
//	word              64 bits of the shadow: one access to a cell, or the number of a block
//	block             2 to 16 words that together are the history of a cell, or of many cells
//	epoch             a goroutine's slot and time, in the clocks of package vclock
//	epoch ID          a number of 26 bits for an epoch at which its goroutine accessed memory
//	epoch block       16 successive epoch IDs, which belong to one goroutine
//	goroutine record  what is kept of a goroutine as long as words of it are
//	site              a number of 26 bits for a call stack: a node of the tree of callers
//	mixture           a number of 26 bits for several sites, each with some bytes of a cell
//	allocation site   the site at which an object of the program was allocated
//	known             of an access and a thread: it is the thread's own, or happens before the
//	                  thread's present
//	subsume           a later access subsumes a known earlier one: what races with the earlier one
//	                  races with the later one too
//	quick             where a few loads decide that an access races with nothing (quick.go)
//
// # Representation
//
// The shadow has three words of each cell: one for the last writes, one for the reads since, and
// one for those of a second goroutine, or of the epoch before. A word is one access: the epoch ID,
// the site, which of the 8 bytes, and whether it was atomic. Site and epoch ID are in the word
// itself, so that a report has them however much later the race is found. Accesses of one epoch to
// other bytes join the word; if they are by several functions, it has a mixture as its site. Where
// a write is to fewer bytes than the one before, or is an atomic one after a plain one, that one
// has a fourth word (earlier.go).
//
// Where these words don't tell all, one leads to a block instead. That is so for bytes that were
// written at many epochs, and for more readers that are not ordered. Cells with the same
// history share a block, which doesn't change. What a word becomes by an access is remembered
// (memo.go), as the next cells mostly have the same history. A block that one cell alone has may
// change in place: by the atomic writes of a lock, and by reads of byte after byte (renew.go).
//
// Accesses by one function to neighbouring bytes of a cell at one epoch are one word, with the site
// of the last of them.
//
// Epoch blocks and blocks that no word of the shadow mentions any more are found by going through
// the shadow, a page at a time (collect.go). That happens whenever twice as many are in use as were
// left the last time, or when they take too large a share of the shadow's memory.
//
// The shadow of 64 MB is mapped at the first access there; the system backs what is touched, and
// where pages are touched in a row some at once (ahead.go).
//
// # The path of an access
//
//	filter.go, cell.go   does the access repeat one that is recorded at this epoch? If so it ends
//	easy.go              is the cell's last access the goroutine's own, or another that it knows?
//	join.go              does a read join one of its epoch in a block that the cell alone has?
//	quick.go             is each word of the cell surely known, and its next state easy to tell?
//	access.go            any access: the check, page by page and cell by cell
//	put.go, mixed.go, earlier.go, renew.go
//	                     what becomes of a cell's words
//	knowledge.go         which accesses are the thread's own, and which it knows
//	asked.go             what its clock has said of that
//	conflict.go, displaced.go, predict.go
//	                     what transactions and predictions want to know of the access beforehand
//
// The words are changed without a lock. What is quick is a plain store, which may overwrite what
// another goroutine has stored at the same instant. All else is put by a compare-and-swap. Then the
// access looks once more for those of others, which may have looked before it was there.
//
// # What is exact
//
// An access races with an earlier one if the two overlap, one of them writes, not both are atomic,
// and the earlier doesn't happen before it. The package finds one such for each access that has
// one, with these exceptions:
//
//   - A write that follows a write counts for both, and an atomic one for the atomic reads before
//     it.
//   - Of more than 16 accesses to one cell that are not ordered, some are forgotten.
//   - Accesses that are made at the same instant may miss each other where one of them is quick: it
//     looks at the cell's words, and stores its own some nanoseconds later.
//   - So may those to a cell whose block is given back, because its maker was stopped at the wrong
//     instant for a whole cycle of the collector.
//
// # Costs
//
// An access that repeats one of the same epoch: one load from the shadow, or two. Others: O(1), but
// for the lookup of an epoch in a vector clock, O(log n) with base 16. Memory, for each byte of
// pages of 4 KB that are written, read, read by a second goroutine or epoch, and written in part: 1
// byte each. Then a quarter of a byte for allocation sites; up to 9 MB for mixtures; 14 bytes and
// more for each word in a block; and 9 bytes for an epoch ID.
package datarace
