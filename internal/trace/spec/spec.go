// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spec says what commute's binary traces consist of: a table of the kinds of record, each
// with its arguments, and the layout of the chunks that records are in. Packages raw and native
// read and write what the table says.
//
// # File
//
// A file of version 1 is the line [Header], then chunks. (One of version 2 is a ring, see below.)
// A chunk is a header of [ChunkSize] bytes, little endian,
//
//	 0  kind of chunk, see [Events] and [Definitions]
//	 1  codec of the payload: [Plain], [S2] or [Zstd]
//	 2  1 if the chunk is [Ordered], else 0
//	 3  a byte 0
//	 4  length of the payload in the file, 4 bytes
//	 8  length of the payload as it was before compression, 4 bytes, at most [MaxChunk]
//	12  number of steps in it, 4 bytes
//	16  number of its first step, 8 bytes
//	24  low: all steps with lower numbers are in this chunk or in those before, 8 bytes
//	32  CRC-32C of the header up to here and of the payload as it is in the file, 4 bytes
//
// and the payload, which is records. What comes after the last whole chunk, as a program leaves
// it that was killed, counts for nothing.
//
// # Steps and their order
//
// Records that are steps of the program have numbers, all different, in the order in which the
// steps were made; numbers may be left out. In a chunk the first step has the number of the
// chunk's header, and each that follows the next one. A [Seq] record comes in between where that
// isn't so. Thus one encoding serves two kinds of writer. A watched program draws numbers from
// one counter, where what it orders is decided anyway (under the lock of what is accessed), and
// collects the records of each goroutine in a buffer of its own; chunks are made of whole
// buffers, in any order, each of which begins with Go and Seq, and low is the least number that a
// buffer not yet written may hold. Who has the steps in their order writes Go where the goroutine
// changes, and no Seq.
//
// A reader gives out the steps below low in the order of their numbers. It keeps what is above
// until low has grown, and drops it where the file ends, since steps between may be lost.
//
// # Rings
//
// A file of version 2 keeps the last steps of a program, however long that runs. It is the line
// [RingHeader] and, little endian,
//
//	16  length of a segment, 8 bytes, a multiple of 256
//	24  number of segments, 4 bytes
//	28  CRC-32C of the file up to here, 4 bytes
//
// then the segments, from [RingStart] on, and after them chunks of definitions, appended one by
// one. Segments are written one after the other; after the last one, the first is written over. A
// segment is chunks and, where the next one didn't fit, zeros; in the one that was being written
// last the remains of what was written over follow instead. The header of these chunks goes on
// after what it has in version 1; in the definitions after the segments, which nobody counts,
// that is zeros:
//
//	36  number of the chunk: how many have been written to segments before, 8 bytes
//	44  from: each goroutine that makes a step with this number or a greater one has said its State before it, in a chunk that
//	    is not before the segment's first one; and all chunks before that have lower numbers, 8 bytes
//	52  past: steps in all chunks before, 8 bytes
//
// The checksum covers these, too. What holds together is the chunks whose numbers follow on each
// other. A reader takes the longest such piece (another can be there if the file was written on
// while it was read) and gives out no step below the from of its first chunk of events: then what
// it gives out is an end of the whole, but for what was not written any more. It has all
// definitions if the first segment was never written over, or else after the segments.
//
// A State says of its goroutine what the steps before would: that it is hidden or not, and how
// many transactions are open and not hidden. Origin says of the goroutine that Go names what a
// definition of it would.
//
// # Definitions
//
// A definition comes before the first step that needs it; points come before their conflicts.
// Numbers of goroutines, points, positions and the like are small and dense. Those of variables,
// locks and objects are so too, unless the [Meta] record "addresses" is "true": then they are
// addresses, and each gets a number of the reader's.
//
// Sections, tests and methods count from 1, 1 and 0. The text of a [Section] is the name of a
// function, a space, and file:line.
// # Calls
//
// A [Call] is recorded when it is over, in the order in which the calls of an object were checked,
// and its touches follow. Of a method that is no observer, or of a type that is synchronization
// itself, an [Enter] comes before, where the call begins; the key is the first, 0 if there is none.
// A [Value] belongs to the goroutine's next Enter or Call. Its first number says what it is: a key
// ([KeyOf] and its index), a hash of what is kept of a parameter or result ([KeptOf]), one of the
// whole where more than that matters ([HashOf]), or whether it is true ([TrueOf]); or the
// activation that makes the call ([Frame]). The lowest bit of what is kept is 1 for zero values.
// [Left] says that the goroutine's call is about to call back, and has learned of others; [Gone]
// that it did not return.
//
// A type that is [Specified] has points and methods that are numbered one after the other. The
// flags of a [Shape] are [Callback] and [Open], the role's first letter from [RoleShift] on, and
// the number of visible results from [VisibleShift] on. Its keys are arguments, counted from 1, of
// 4 bits each. [Cases] are for each case of the results a byte, the number of touches, and a byte
// for each of those: the point, and in the lowest two bits the key. An [Exception] has 4 bytes for
// each condition, as package compiled has it.
//
// A step at a [Place] with the text [Inside] is hidden: it is part of a call of which nothing tells
// that it is under way.
//
// # More definitions
//
// A [Formula] has results 1 if calls that don't commute by it differ in nothing but what they
// return. In a [CallSite], kind, name and at are those of the declaration of what the calls are
// made on: global, field, local, param, other or ambiguous, or all empty; flags are [Ignored],
// [Meant], [ByLibrary] and [Unused].
package spec

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/event/table"
)

// Header is what a file begins with that is no ring. Its number is the version of all that follows.
const Header = "commute trace 1\n"

// RingHeader is what a file begins with that is a ring.
const RingHeader = "commute trace 2\n"

// RingStart is where the first segment of a ring begins.
const RingStart = 32

// ChunkSize is the length of a chunk's header.
const ChunkSize = 36

// RingChunkSize is the length of the header of a chunk of a ring.
const RingChunkSize = 60

// MaxChunk is the greatest length of a payload, before compression.
const MaxChunk = 1 << 24

// Kinds of chunk.
const (
	Events      = 1
	Definitions = 2
)

// Ordered is said of a chunk whose steps are in the order of their numbers and all below its low,
// so that a reader need not collect them first.
const Ordered = 1

// Codecs.
const (
	Plain = 0
	S2    = 1
	Zstd  = 2
)

// A Kind of record. Those below [FirstDefinition] are in chunks of events: the first byte has the
// kind in its lower five bits, [PosMode] in the next two, and 0 in the last. In definitions the
// first byte is the kind.
type Kind = event.Kind

// FirstDefinition is the first kind that is in chunks of definitions.
const FirstDefinition Kind = table.FirstDefinition

// Flags of a [CallSite].
const (
	Ignored   = 1 << iota // by a comment //commute:ignore, races of the calls are not reported
	Meant                 // by //commute:concurrent at the declaration, the races are meant
	ByLibrary             // the standard library makes the calls
	Unused                // their results are not used, or it isn't known whether they are
)

// What a [Value] is.
const (
	KeyOf  = 0  // and the index
	KeptOf = 8  // and the index
	HashOf = 16 // and the index
	TrueOf = 24 // and the index
	Frame  = 32
	Left   = 33
	Gone   = 34
)

// Inside is the text of a place, see above.
const Inside = "inside of a call"

// Flags of a [Shape].
const (
	Callback     = 1
	Open         = 2
	RoleShift    = 8
	VisibleShift = 16
)

// FlagShift is where the flags of an event begin in its position, if the [Meta] record "flags" is
// "true": see [event.Flags]. So it is in what "commute trace cut" makes of a recorded trace.
const FlagShift = 29

// PosMode is how an event's position is given: the previous event's in the chunk, the one after
// that, or by a varint, the difference to that.
const (
	SamePos = iota
	NextPos
	DeltaPos
)

// A Type is how an argument is written.
type Type = table.Type

// The types.
const (
	Number   = table.Number
	Signed   = table.Signed
	Variable = table.Variable
	Lock     = table.Lock
	Object   = table.Object
	Hash     = table.Hash
	Text     = table.Text
)

// An Info is what is to know of a kind.
type Info = table.Row

// MaxArgs is the greatest number of arguments.
const MaxArgs = 6

// infos are those of the table that are in traces, by their numbers.
var infos = func() (list [table.FirstOnline]*Info) {
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Code < table.FirstOnline {
			list[r.Code] = r
		}
	}
	return list
}()

// InfoOf is the kind's entry in the table, nil if there is no such kind of record.
func InfoOf(k Kind) *Info {
	if int(k) >= len(infos) {
		return nil
	}
	return infos[k]
}

// Kinds are all kinds of record, by name.
func Kinds() map[string]Kind {
	kinds := make(map[string]Kind)
	for k, info := range infos {
		if info != nil {
			kinds[info.Name] = Kind(k)
		}
	}
	return kinds
}
