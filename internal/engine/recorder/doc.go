// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package recorder writes a binary trace of the program that it is part of, while that runs.
//
// Input: the steps of goroutines, each with a position and at most one number, and definitions of
// what the numbers stand for. Output: a file, as package internal/trace/spec has it.
//
// # Terms
//
//	step          one event of one goroutine, of a kind of package event
//	number        the place of a step in the order of all; of two ordered steps the later has the
//	              greater number
//	position      a number for a frame of a call stack, which a definition tells
//	definition    what a number of the trace stands for: a goroutine, a position, a method ...
//	shard         the buffer of one processor
//	chunk         a part of the file: the contents of a buffer, behind a header
//	low           all steps below this number are in the file up to a chunk
//	ring          a file that keeps the last steps only (ring.go)
//	segment       a part of a ring that is written over as a whole
//	epoch         the time in which one segment of a ring is written
//
// # Files
//
//	recorder.go  start and stop; the steps
//	shard.go     how a step gets its number, and into the buffer of its processor
//	encode.go    how the parts of a step are written
//	file.go      how buffers become chunks of the file
//	ring.go      the same for a ring
//	define.go    the definitions
//
// # Numbers
//
// Each processor has a buffer of its own, which becomes a chunk when it is full. It takes the
// numbers of its steps from one counter, many at once. What has to be kept is that a step has a
// greater number than those that are ordered before it. So there are three cases in which a
// processor takes new numbers, if another processor has taken any since. A goroutine acquires what
// others released; a goroutine goes on that was on another processor; or memory was freed. In all
// other cases a step costs a lock that hardly any other thread wants, and few bytes. Of two steps
// that nothing orders, as in a data race, either may have the lower number.
//
// Each chunk tells its low, the number up to which no buffer holds anything back. So a file that is
// cut off is good up to there. Memory is bounded by the number of processors, not of goroutines.
//
// In a ring each goroutine writes in each segment, before its first step there, what it is doing.
//
// # Locks
//
// The file's lock is taken before that of the definitions and before that of any shard. A thread
// that holds the locks of two shards holds the file's lock too. So a thread that has a shard's lock
// and needs room must release it first (ready).
package recorder
