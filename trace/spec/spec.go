// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package spec says what commute's binary traces consist of: a table of the kinds of record, each with its arguments, and
// the layout of the chunks that records are in. Packages raw and native read and write what the table says.
//
// # File
//
// A file of version 1 is the line [Header], then chunks. (One of version 2 is a ring, see below.) A chunk is a header of
// [ChunkSize] bytes, little endian,
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
// and the payload, which is records. What comes after the last whole chunk, as a program leaves it that was
// killed, counts for nothing.
//
// # Steps and their order
//
// Records that are steps of the program have numbers, all different, in the order in which the steps were made; numbers may be
// left out. In a chunk the first step has the number of the chunk's header, and each that follows the next one. A [Seq] record
// comes in between where that isn't so. Thus one encoding serves two kinds of writer. A watched program draws numbers from one
// counter, where what it orders is decided anyway (under the lock of what is accessed), and collects the records of each
// goroutine in a buffer of its own; chunks are made of whole buffers, in any order, each of which begins with Go and Seq, and
// low is the least number that a buffer not yet written may hold. Who has the steps in their order writes Go where the
// goroutine changes, and no Seq.
//
// A reader gives out the steps below low in the order of their numbers. It keeps what is above until low has
// grown, and drops it where the file ends, since steps between may be lost.
//
// # Rings
//
// A file of version 2 keeps the last steps of a program, however long that runs. It is the line [RingHeader] and, little
// endian,
//
//	16  length of a segment, 8 bytes, a multiple of 256
//	24  number of segments, 4 bytes
//	28  CRC-32C of the file up to here, 4 bytes
//
// then the segments, from [RingStart] on, and after them chunks of definitions, appended one by one. Segments are written one
// after the other; after the last one, the first is written over. A segment is chunks and, where the next one didn't fit,
// zeros; in the one that was being written last the remains of what was written over follow instead. The header of these chunks
// goes on after what it has in version 1; in the definitions after the segments, which nobody counts, that is zeros:
//
//	36  number of the chunk: how many have been written to segments before, 8 bytes
//	44  from: each goroutine that makes a step with this number or a greater one has said its State before it, in a chunk that
//	    is not before the segment's first one; and all chunks before that have lower numbers, 8 bytes
//	52  past: steps in all chunks before, 8 bytes
//
// The checksum covers these, too. What holds together is the chunks whose numbers follow on each other. A reader takes the
// longest such piece (another can be there if the file was written on while it was read) and gives out no step below the from
// of its first chunk of events: then what it gives out is an end of the whole, but for what was not written any more. It has
// all definitions if the first segment was never written over, or else after the segments.
//
// A State says of its goroutine what the steps before would: that it is hidden or not, and how many transactions are open and
// not hidden. Origin says of the goroutine that Go names what a definition of it would.
//
// # Definitions
//
// A definition comes before the first step that needs it; points come before their conflicts. Numbers of goroutines,
// points, positions and the like are small and dense. Those of variables, locks and objects are so too, unless
// the [Meta] record "addresses" is "true": then they are addresses, and each gets a number of the reader's.
//
// Sections, tests and methods count from 1, 1 and 0. The text of a [Section] is the name of a function, a space, and file:line.
// A [Formula] has results 1 if calls that don't commute by it differ in nothing but what they return. In a [CallSite], kind, name
// and at are those of the declaration of what the calls are made on: global, field, local, param, other or ambiguous, or all
// empty; flags are [Ignored], [Meant] and [ByLibrary].
package spec

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

// Ordered is said of a chunk whose steps are in the order of their numbers and all below its low, so that a reader need not
// collect them first.
const Ordered = 1

// Codecs.
const (
	Plain = 0
	S2    = 1
	Zstd  = 2
)

// A Kind of record. Those below [FirstDefinition] are in chunks of events.
type Kind uint8

// Records in chunks of events. The first byte has the kind in its lower five bits, [PosMode] in the next two, and 0 in the
// last.
const (
	Go           Kind = iota + 1 // what follows is of this goroutine
	Seq                          // the next step's number is greater by this than it would be
	Read                         // of a variable
	Write                        // of a variable
	Acquire                      // of a lock, or of whatever else is released
	Release                      // of a lock; replaces the earlier releases
	ReleaseMerge                 // of a lock; adds to the earlier releases
	AtomicLoad                   // an acquire
	AtomicStore                  // a release
	AtomicRMW                    // an acquire and a merging release in one
	Fork                         // of a goroutine
	Join                         // of a goroutine
	Exit                         // of the goroutine itself
	Begin                        // of a transaction
	End                          // of a transaction
	Call                         // of a method of an object; its touches follow
	Touch                        // of an object's access point
	TouchKey                     // of the access point that an object has for a key
	TestBegin                    // of a test
	TestEnd                      // of a test
	Fresh                        // what is at these addresses is new, though they may have been used
	ReadRange                    // of all variables at these addresses
	WriteRange                   // likewise
	AcquireAll                   // whatever has happened comes before what follows
	Hide                         // what follows is part of a call that counts as one step; nothing of it conflicts
	Show                         // ends that
	State                        // what the goroutine is doing: see package doc, Rings
	Origin                       // of the goroutine that Go names: as its definition
	Split                        // what was done to the second variable was done to the first, which is new
)

// FirstDefinition is the first kind that is in chunks of definitions. There the first byte is the kind.
const FirstDefinition Kind = 32

// Records in chunks of definitions.
const (
	Meta      Kind = iota + FirstDefinition // a property of the trace
	Goroutine                               // its number for the program, and where it was started
	VarName                                 // of a variable
	LockName                                // of a lock
	ObjName                                 // of an object
	Point                                   // an access point
	Conflict                                // two access points conflict
	Method                                  // of a specified type
	Position                                // the innermost frame of a stack, and the number of the position of its caller
	Place                                   // a position of which a text is all that's known
	Section                                 // a transaction's name
	Test                                    // a test's name
	Watched                                 // a position is in the source of a package that is watched
	Role                                    // what a method is for: observer, mutator or arbiter
	Formula                                 // when calls of two methods commute, and where the specification says so
	CallSite                                // of calls of a method at a position: what they are made on, and more
	Key                                     // the text of a key that has a hash
	Member                                  // a goroutine belongs to a test; so do those that it starts
	lastKind
)

// Flags of a [CallSite].
const (
	Ignored   = 1 << iota // a comment //commute:ignore says that races of the calls are not reported
	Meant                 // //commute:concurrent, at the declaration: that they are meant
	ByLibrary             // the standard library makes the calls
)

// PosMode is how an event's position is given: the previous event's in the chunk, the one after that, or by a varint, the
// difference to that.
const (
	SamePos = iota
	NextPos
	DeltaPos
)

// A Type is how an argument is written.
type Type uint8

const (
	Number   Type = iota // a varint
	Signed               // a zigzag varint
	Variable             // a zigzag varint: the difference to the last Variable in the chunk, the first to 0
	Lock                 // likewise, of locks
	Object               // likewise, of objects
	Hash                 // eight bytes, little endian
	Text                 // a varint, the number of bytes, and those
)

// An Arg is an argument of a record.
type Arg struct {
	Name string
	Type Type
}

// Info is what is to know of a kind.
type Info struct {
	Name string
	Args []Arg
	Step bool // it has a number and a position
}

// MaxArgs is the greatest number of arguments.
const MaxArgs = 6

var infos = [lastKind]Info{
	Go:           {"Go", []Arg{{"goroutine", Number}}, false},
	Seq:          {"Seq", []Arg{{"skip", Signed}}, false},
	Read:         {"Read", []Arg{{"var", Variable}}, true},
	Write:        {"Write", []Arg{{"var", Variable}}, true},
	Acquire:      {"Acquire", []Arg{{"lock", Lock}}, true},
	Release:      {"Release", []Arg{{"lock", Lock}}, true},
	ReleaseMerge: {"ReleaseMerge", []Arg{{"lock", Lock}}, true},
	AtomicLoad:   {"AtomicLoad", []Arg{{"lock", Lock}}, true},
	AtomicStore:  {"AtomicStore", []Arg{{"lock", Lock}}, true},
	AtomicRMW:    {"AtomicRMW", []Arg{{"lock", Lock}}, true},
	Fork:         {"Fork", []Arg{{"goroutine", Number}}, true},
	Join:         {"Join", []Arg{{"goroutine", Number}}, true},
	Exit:         {"Exit", nil, true},
	Begin:        {"Begin", []Arg{{"section", Number}}, true},
	End:          {"End", nil, true},
	Call:         {"Call", []Arg{{"object", Object}, {"method", Number}, {"touches", Number}}, true},
	Touch:        {"Touch", []Arg{{"object", Object}, {"point", Number}}, true},
	TouchKey:     {"TouchKey", []Arg{{"object", Object}, {"point", Number}, {"key", Hash}}, true},
	TestBegin:    {"TestBegin", []Arg{{"test", Number}}, true},
	TestEnd:      {"TestEnd", []Arg{{"test", Number}}, true},
	Fresh:        {"Fresh", []Arg{{"address", Hash}, {"size", Number}}, true},
	ReadRange:    {"ReadRange", []Arg{{"var", Variable}, {"size", Number}}, true},
	WriteRange:   {"WriteRange", []Arg{{"var", Variable}, {"size", Number}}, true},
	AcquireAll:   {"AcquireAll", nil, true},
	Hide:         {"Hide", nil, true},
	Show:         {"Show", nil, true},
	State:        {"State", []Arg{{"hidden", Number}, {"open", Number}, {"section", Number}}, true},
	Origin:       {"Origin", []Arg{{"goid", Number}, {"parent", Number}, {"at", Number}}, false},
	Split:        {"Split", []Arg{{"var", Variable}, {"from", Variable}}, true},

	Meta:      {"Meta", []Arg{{"key", Text}, {"value", Text}}, false},
	Goroutine: {"Goroutine", []Arg{{"id", Number}, {"goid", Number}, {"parent", Number}, {"pos", Number}, {"name", Text}}, false},
	VarName:   {"VarName", []Arg{{"id", Number}, {"name", Text}}, false},
	LockName:  {"LockName", []Arg{{"id", Number}, {"name", Text}}, false},
	ObjName:   {"ObjName", []Arg{{"id", Number}, {"type", Text}, {"name", Text}}, false},
	Point:     {"Point", []Arg{{"id", Number}, {"type", Text}, {"name", Text}}, false},
	Conflict:  {"Conflict", []Arg{{"point", Number}, {"other", Number}}, false},
	Method:    {"Method", []Arg{{"id", Number}, {"type", Text}, {"name", Text}}, false},
	Position: {"Position", []Arg{{"id", Number}, {"pc", Number}, {"caller", Number}, {"line", Number}, {"func", Text}, {"file", Text}},
		false},
	Place:   {"Place", []Arg{{"id", Number}, {"text", Text}}, false},
	Section: {"Section", []Arg{{"id", Number}, {"name", Text}}, false},
	Test:    {"Test", []Arg{{"id", Number}, {"name", Text}}, false},
	Watched: {"Watched", []Arg{{"id", Number}}, false},
	Role:    {"Role", []Arg{{"method", Number}, {"role", Text}}, false},
	Formula: {"Formula", []Arg{{"method", Number}, {"other", Number}, {"results", Number}, {"text", Text}, {"at", Text}}, false},
	CallSite: {"CallSite", []Arg{{"pos", Number}, {"method", Number}, {"flags", Number}, {"kind", Text}, {"name", Text}, {"at", Text}},
		false},
	Key:    {"Key", []Arg{{"hash", Hash}, {"text", Text}}, false},
	Member: {"Member", []Arg{{"goroutine", Number}, {"test", Number}}, false},
}

// Info is the kind's entry in the table, nil if there is no such kind.
func (k Kind) Info() *Info {
	if int(k) >= len(infos) || infos[k].Name == "" {
		return nil
	}
	return &infos[k]
}

func (k Kind) String() string {
	if i := k.Info(); i != nil {
		return i.Name
	}
	return "no kind"
}

// Kinds are all kinds, by name.
func Kinds() map[string]Kind {
	kinds := make(map[string]Kind)
	for k := range infos {
		if infos[k].Name != "" {
			kinds[infos[k].Name] = Kind(k)
		}
	}
	return kinds
}
