// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package raw reads and writes commute's binary traces chunk by chunk and record by record, as
// package spec has them, and a text form of them. It checks the form of each record and not its
// meaning, so that tests can write ill-formed traces.
//
// Input and output: a file's bytes, [Chunk]s with [Record]s in them, or text.
//
// # Terms
//
//	chunk       a header and a payload, which may be compressed; the unit of reading and writing
//	record      one event or definition of a chunk
//	step        a record of an event that has a number and a position
//	ring        a file whose chunks replace older ones once it is full (version 2)
//	segment     a part of a ring that is replaced as a whole
//	cut         of a file: the bytes after its last whole chunk, or of one that is not compressed
//	            after the last step that counts
//
// # Text
//
// The text form is one to one with chunks and records. A line is empty, or a comment if it begins
// with #, or a name and arguments, as name=value, in the order of package spec:
//
//	commute trace 1
//	Definitions codec=s2
//	LockName id=0 name="mu"
//	Events codec=s2 first=0 low=3 ordered=true
//	Go goroutine=0
//	Acquire lock=0 pos=12
//	Write var=7 pos=13
//	Release lock=0 pos=14
//
// The first line is the file's header. If it is "commute trace 2", Events lines go on with " from=0
// past=0", and the text makes a ring that was never full. Definitions and Events each begin a
// chunk. Steps have their position last. Strings are quoted as in Go; numbers are decimal, or
// hexadecimal after 0x.
package raw
