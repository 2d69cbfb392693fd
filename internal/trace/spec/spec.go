// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spec specifies commute's binary traces: it has a table of the kinds of record, each with
// its arguments, and the layout of the chunks that contain records. Packages raw and native read
// and write this format.
//
// # File
//
// A file of version 1 is the line [Header], then chunks. (A file of version 2 is a ring, see
// below.) A chunk is a header of [ChunkSize] bytes, little endian,
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
// and the payload, which is records. If a program was killed, its file may end in a part of a
// chunk. If such a part is not compressed and its numbers rise, readers take its whole steps,
// except the last one.
//
// # Steps and their order
//
// Records that are steps of the program have numbers, all different, in the order in which the
// steps were made. Numbers may be left out. The first step of a chunk has the number in the
// chunk's header, and each further step the next one. A [Seq] record comes before a step with
// another number.
//
// Thus one encoding serves two kinds of writer. A watched program draws numbers from one counter,
// at a place that decides the order anyway: under the lock of what is accessed. It collects the
// records of each processor in a buffer of its own. A chunk is one buffer, in which numbers rise; a
// compressed chunk may be several buffers. Low is then the least number that a buffer not yet
// written may hold. The other kind of writer has the steps in their order. It writes Go where the
// goroutine changes, and no Seq.
//
// A reader returns the steps below low in the order of their numbers. It keeps higher steps until
// low has grown. At the end of the file it drops them, since steps between them may be lost.
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
// one. Segments are written one after the other; after the last one, the first is overwritten. A
// segment has chunks and, where the next chunk didn't fit, zeros. The segment that was written last
// ends in remains of its earlier contents instead. The header of these chunks has further fields
// after those of version 1. In the definitions after the segments, which have no chunk numbers, the
// fields are zeros:
//
//	36  number of the chunk: how many have been written to segments before, 8 bytes
//	44  from, 8 bytes: each goroutine that makes a step with this number or a greater one
//	    has said its State before, in a chunk of this segment or a later one; and
//	    all chunks before this segment have lower numbers
//	52  past: steps in all chunks before, 8 bytes
//
// The checksum covers these fields, too. Chunks whose numbers are consecutive belong together. A
// reader takes the longest such sequence; there can be a second one if the program wrote to the
// file meanwhile. It returns no step below the from of the first chunk of events in it. So the
// returned steps are a suffix of the whole, except for steps that were never written. The sequence
// has all definitions if the first segment was never overwritten. Otherwise the chunks after the
// segments have them.
//
// A State replaces the lost steps of its goroutine: it says whether the goroutine is hidden, and
// how many transactions are open and not hidden. An Origin replaces the definition of the goroutine
// that Go names.
//
// # Definitions
//
// A definition comes before the first step that needs it; points come before their conflicts.
// Numbers of goroutines, points, positions and the like are small and dense. So are the numbers of
// variables, locks and objects, unless the [Meta] record "addresses" is "true". Then they are
// addresses, and the reader numbers them.
//
// Sections count from 1, tests from 1, and methods from 0. The text of a [Section] is the name
// of a function, a space, and file:line.
//
// # Calls
//
// A [Call] is recorded when it is over, in the order in which the calls of an object were checked,
// and its touches follow. If the method is no observer, or the type is synchronization itself, an
// [Enter] is recorded where the call begins. Its key is the first key, 0 if there is none. A
// [Value] belongs to the goroutine's next Enter or Call. Its first number gives its kind: a key
// ([KeyOf] and its index), a hash of the kept part of a parameter or result ([KeptOf]), a hash of
// the whole value where more than that matters ([HashOf]), its truth ([TrueOf]), or the activation
// that makes the call ([Frame]). The lowest bit of a kept part is 1 for zero values. [Left] says
// that the goroutine's call is about to call back, and that its clock has joined those of other
// calls. [Gone] says that the call did not return. For a call with an Enter, [Out] says that it is
// about to call back and joins no clocks, and [Back] that the callback is over.
//
// A type that is [Specified] has points and methods that are numbered one after the other. The
// flags of a [Shape] are [Callback], [Open] and [Derived], the role's first letter from [RoleShift]
// on, and the number of visible results from [VisibleShift] on. Its keys are arguments, counted
// from 1, of 4 bits each. [Cases] have, for each case of the results, a byte with the number of
// touches, and a byte for each touch: the point, and in the lowest two bits the key. An [Exception]
// has 4 bytes for each condition, in the form of package compiled.
//
// A step at a [Place] with the text [Inside] is hidden: it is part of a call whose begin is not
// recorded.
//
// # Locks
//
// If the [Meta] record "locks" is "all", a [Value] also says which synchronization is by mutexes,
// and has other data for predictions. If the record is "true", there are such Values only from the
// first transaction on, and nothing is predicted: unknown locks may be held by then. Before the
// Acquire of a lock comes [Takes], before its Release [Frees]. The bits above the value's flags are
// the lock's address: its distance from the address of the last [Lock] of the chunk, in zigzag
// form. The flags are [Reader], [Waits] (two acquires follow: of writers and of readers) and
// [Direct] (a watched package calls the lock's method itself). [Fails] is recorded where a
// goroutine found a lock taken, or could not send or receive. [Meets] has the number of another
// goroutine: the two order each other by the next two releases and acquires of each. The steps
// after [Passes] order a send and its receive, and were announced as a meeting.
//
// # Objects
//
// If the [Meta] record "objects" is "true", Values say to which object an address of
// synchronization belongs. Other addresses may belong to any object. The value is an address, as
// its distance from that of the last [Lock] of the chunk, in zigzag form.
//
// [Channel] has the address that identifies a channel. An unbuffered channel has no other, and
// close releases at it. [Slots] comes after it, and has the address of the buffer, and its size in
// bytes from [SiteShift] on. Synchronization at these addresses, and up to 7 above the channel's,
// is an operation on the channel, until the memory is allocated anew. Both are recorded before the
// first operation, and in a ring in each segment again.
//
// [Adds] is recorded where a goroutine has added to the counter of the WaitGroup at the address;
// the addend is at [SiteShift]. [FailsOn] is recorded where a goroutine could not send to the
// channel at the address, or receive from it, and this depends on nothing else. Without a 1 at
// SiteShift it is a [Fails], too; with it, no other goroutine has used the channel by then. Each
// becomes an event that acquires nothing. [LooksAt] comes after the FailsOn of a select with more
// channels, none of which another goroutine has used. It has one of these channels, and is recorded
// once for several such selects in a row. After [Anywhere], which has the number of another
// goroutine, the two meet on a channel, and both are in a select.
//
// # Critical sections
//
// In a program with functions that check in one critical section and act in another, a [Value] also
// has the input of package section. Such a function is defined by a [Pair] for each check and act,
// which all have its number. Each of their places is a [TouchSite]. The last text has two lines of
// the source, file:line each or empty: where calls lead to the check, and to the act. Flags are
// [ByValue], [Fills], [Always] and [LatestOnly], [PairIgnored] and [PairMeant] (by comments in the
// source), and [PairMarked] if the function is checked as a transaction, too. Above them are the
// shape, the index of the pair and the number of the function's pairs, from [ShapeShift],
// [IndexShift] and [PairsShift] on. If a pair is defined again, it has the new flags from the
// start. The flags of a TouchSite are [LocalVar], the operation from [OpShift] on, and from
// [AtomicShift] on the kind of variable of an operation of sync/atomic, in the form of package
// compiled.
//
// [Locking] has the address of a lock that the goroutine is about to take, and [Touches] the
// address that it has touched. The number of the place is in the upper bits of the first number,
// from [SiteShift] on. Before a touch come a word for its value ([TouchWord]), and possibly the
// hash of a key ([TouchKey]) and the length of a map ([TouchLen]). Without a word, only the place
// of the touch counts. [Enters] has the number of a function. [Leaves] has the number of functions
// that had been entered by then, with the one that is left. [Orders] has the address of an object:
// a call of it begins or ends. After [Exchanges], the goroutine's next acquire and release are one
// step: it acquires what was released before, and releases what it knew before.
//
// [Announces] comes before an atomic operation that is a section by itself. It has the number of
// the place, as Touches has. Its value is the address of the variable, written like a lock's (see
// above), and below [SizeShift] the number of bits of the variable's size in bytes. [Operated]
// comes after the operation, in the order in which operations of the variable took effect. It has
// the operation above [SiteShift], and the new contents of the variable as its value. An operation
// that is announced and not made has no Operated.
//
// # More definitions
//
// A [Formula] has results 1 if calls that don't commute by it differ only in their results. In a
// [CallSite], kind, name and at are those of the declaration of the receiver: global, field, local,
// param, other or ambiguous, or all empty; flags are [Ignored], [Meant], [ByLibrary], [Unused],
// [Shipped] and [Again].
package spec

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/event/table"
)

// Header is the beginning of a file that is no ring. Its number is the version of the format.
const Header = "commute trace 1\n"

// RingHeader is the beginning of a file that is a ring.
const RingHeader = "commute trace 2\n"

// RingStart is the offset of the first segment of a ring.
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

// Ordered marks a chunk whose steps are in the order of their numbers and all below its low, so
// that a reader need not collect them first.
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
	Shipped               // the specification comes with commute, and applies without -spec
	Again                 // the check is repeated before anything depends on the call
)

// Kinds of a [Value].
const (
	KeyOf  = 0  // and the index
	KeptOf = 8  // and the index
	HashOf = 16 // and the index
	TrueOf = 24 // and the index
	Frame  = 32
	Left   = 33
	Gone   = 34

	Takes  = 35
	Frees  = 36
	Fails  = 37
	Meets  = 38
	Passes = 39

	Out  = 40
	Back = 41

	Locking   = 42
	Enters    = 43
	Leaves    = 44
	Touches   = 45
	TouchKey  = 46
	TouchWord = 47
	TouchLen  = 48
	Orders    = 49
	Exchanges = 50

	Announces = 51
	Operated  = 52

	Channel  = 53
	Slots    = 54
	Adds     = 55
	FailsOn  = 56
	LooksAt  = 57
	Anywhere = 58
)

// SiteShift is the bit at which a second number begins: the number of a place above [Locking],
// [Touches] and [Announces], the operation above [Operated], and the size of a buffer above
// [Slots].
const SiteShift = 6

// SizeShift is the bit at which the address begins in [Announces]. Below is the number of bits of
// the size.
const SizeShift = 5

// Flags of a [LockSite].
const (
	ReadLock = 1 << iota
	Complete
)

// Flags of a [TouchSite]; the operation begins at OpShift and has OpBits, and what an atomic
// operation is on begins at AtomicShift.
const (
	LocalVar    = 1
	OpShift     = 1
	OpBits      = 8
	AtomicShift = 16
)

// Flags of a [Pair]; the shape begins at ShapeShift, the index of the pair in its function at
// IndexShift, and how many pairs that has at PairsShift.
const (
	ByValue = 1 << iota
	Fills
	Always
	PairIgnored
	PairMeant
	PairMarked
	LatestOnly
	ShapeShift = 8
	IndexShift = 16
	PairsShift = 32
)

// Flags of [Takes] and [Frees]; the address begins at LockShift.
const (
	Reader    = 1
	Waits     = 2
	Direct    = 4
	LockShift = 3
)

// Inside is the text of a place of hidden steps: see above.
const Inside = "inside of a call"

// Flags of a [Shape].
const (
	Callback     = 1
	Open         = 2
	Derived      = 4
	RoleShift    = 8
	VisibleShift = 16
)

// FlagShift is the bit at which the flags of an event begin in its position, if the [Meta] record
// "flags" is "true": see [event.Flags]. Parts of recorded traces from "commute trace cut" have such
// flags.
const FlagShift = 29

// PosMode is the form of an event's position: the same as the previous event's in the chunk, that
// plus 1, or a varint with the difference.
const (
	SamePos = iota
	NextPos
	DeltaPos
)

// A Type is the encoding of an argument.
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

// An Info describes a kind.
type Info = table.Row

// MaxArgs is the greatest number of arguments.
const MaxArgs = 6

// infos are those of the table that are in traces, by their numbers.
var infos = func() (list [table.Size]*Info) {
	for i := range table.Rows {
		if r := &table.Rows[i]; r.InTraces() {
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

// Kinds returns all kinds of record, by name.
func Kinds() map[string]Kind {
	kinds := make(map[string]Kind)
	for k, info := range infos {
		if info != nil {
			kinds[info.Name] = Kind(k)
		}
	}
	return kinds
}
