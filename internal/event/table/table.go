// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package table is what there is to know of each kind of event: its number and operands in recorded
// traces, what it acquires and releases, and what it conflicts with. All else that speaks of kinds is
// made of it: the kinds of package event, which the engine and the checkers share, by "go generate",
// and the table of package internal/trace/spec, which is this one.
//
// Input: nothing. Output: [Rows]. To add a kind, add a row and run "go generate ./internal/event/...".
package table

//go:generate go run ../gen

// A Type is how an operand is written in a trace.
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

// An Arg is an operand.
type Arg struct {
	Name string
	Type Type
}

// An Access is what an event does to a variable. Two accesses of one variable conflict unless both read.
type Access uint8

const (
	None Access = iota
	Reads
	Writes
)

// A Row says all of a kind.
type Row struct {
	Name string
	Code uint8  // its number; those under [Limit] can be the first byte's lower bits of a step in a trace
	Doc  string // what the event is, as a comment says it
	Args []Arg  // its operands in a trace, at most six, of steps three
	Step bool   // in a trace it has a number and a position
	Op   bool   // checkers get it; what else is recorded becomes such events, or names for them

	Acquires bool // what was released before comes before what follows
	Releases bool // what came before is for later acquires
	Merges   bool // and earlier releases stay
	Atomic   bool // an operation of package sync/atomic
	Library  bool // by which the library orders goroutines for itself: no conflict of transactions
	Access   Access

	// As is the names of the kinds that stand for it in a trace, one after the other; none if it is
	// recorded as what it is, or never.
	As []string
}

// Limit is the least number that doesn't fit into a step of a trace, and FirstDefinition the least of a
// definition. Kinds from FirstOnline on are in no trace.
const (
	Limit           = 32
	FirstDefinition = 32
	FirstOnline     = 58
)

var (
	variable  = []Arg{{"var", Variable}}
	lock      = []Arg{{"lock", Lock}}
	goroutine = []Arg{{"goroutine", Number}}
)

// Rows are all kinds, by their numbers.
var Rows = []Row{
	// In chunks of events.
	{Name: "Go", Code: 1, Doc: "what follows is of this goroutine", Args: goroutine},
	{Name: "Seq", Code: 2, Doc: "the next step's number is greater by this than it would be", Args: []Arg{{"skip", Signed}}},
	{Name: "Read", Code: 3, Doc: "of a variable", Args: variable, Step: true, Op: true, Access: Reads},
	{Name: "Write", Code: 4, Doc: "of a variable", Args: variable, Step: true, Op: true, Access: Writes},
	{Name: "Acquire", Code: 5, Doc: "of a lock, or of whatever else is released", Args: lock, Step: true, Op: true, Acquires: true},
	{Name: "Release", Code: 6, Doc: "of a lock; replaces the earlier releases", Args: lock, Step: true, Op: true, Releases: true},
	{Name: "ReleaseMerge", Code: 7, Doc: "of a lock; adds to the earlier releases", Args: lock, Step: true, Op: true, Releases: true, Merges: true},
	{Name: "AtomicLoad", Code: 8, Doc: "an acquire", Args: lock, Step: true, Acquires: true, Atomic: true, Access: Reads},
	{Name: "AtomicStore", Code: 9, Doc: "a release", Args: lock, Step: true, Releases: true, Atomic: true, Access: Writes},
	{Name: "AtomicRMW", Code: 10, Doc: "an acquire and a merging release in one", Args: lock, Step: true,
		Acquires: true, Releases: true, Merges: true, Atomic: true, Access: Writes},
	{Name: "Fork", Code: 11, Doc: "of a goroutine", Args: goroutine, Step: true, Op: true},
	{Name: "Join", Code: 12, Doc: "of a goroutine", Args: goroutine, Step: true, Op: true, Acquires: true},
	{Name: "Exit", Code: 13, Doc: "of the goroutine itself", Step: true},
	{Name: "Begin", Code: 14, Doc: "of a transaction, or of something nested in one", Args: []Arg{{"section", Number}}, Step: true, Op: true},
	{Name: "End", Code: 15, Doc: "of a transaction, or of something nested in one", Step: true, Op: true},
	{Name: "Call", Code: 16, Doc: "of a method of an object; its touches follow",
		Args: []Arg{{"object", Object}, {"method", Number}, {"touches", Number}}, Step: true,
		Acquires: true},
	{Name: "Touch", Code: 17, Doc: "of an object's access point", Args: []Arg{{"object", Object}, {"point", Number}}, Step: true, Op: true},
	{Name: "TouchKey", Code: 18, Doc: "of the access point that an object has for a key",
		Args: []Arg{{"object", Object}, {"point", Number}, {"key", Hash}}, Step: true},
	{Name: "TestBegin", Code: 19, Doc: "of a test", Args: []Arg{{"test", Number}}, Step: true},
	{Name: "TestEnd", Code: 20, Doc: "of a test", Args: []Arg{{"test", Number}}, Step: true},
	{Name: "Fresh", Code: 21, Doc: "what is at these addresses is new, though they may have been used",
		Args: []Arg{{"address", Hash}, {"size", Number}}, Step: true},
	{Name: "ReadRange", Code: 22, Doc: "of all variables at these addresses",
		Args: []Arg{{"var", Variable}, {"size", Number}}, Step: true, Access: Reads},
	{Name: "WriteRange", Code: 23, Doc: "likewise", Args: []Arg{{"var", Variable}, {"size", Number}}, Step: true, Access: Writes},
	{Name: "AcquireAll", Code: 24, Doc: "whatever has happened comes before what follows", Step: true, Acquires: true},
	{Name: "Hide", Code: 25, Doc: "what follows is part of a call that counts as one step; nothing of it conflicts", Step: true},
	{Name: "Show", Code: 26, Doc: "ends that", Step: true},
	{Name: "State", Code: 27, Doc: "what the goroutine is doing: see package internal/trace/spec, Rings",
		Args: []Arg{{"hidden", Number}, {"open", Number}, {"section", Number}}, Step: true},
	{Name: "Origin", Code: 28, Doc: "of the goroutine that Go names: as its definition",
		Args: []Arg{{"goid", Number}, {"parent", Number}, {"at", Number}}},
	{Name: "Split", Code: 29, Doc: "what was done to the second variable was done to the first, which is new",
		Args: []Arg{{"var", Variable}, {"from", Variable}}, Step: true, Op: true},
	{Name: "Enter", Code: 30, Doc: "a call begins that may change its object; a Call follows when it is over",
		Args: []Arg{{"object", Object}, {"method", Number}, {"key", Hash}}, Step: true, Acquires: true},
	{Name: "Value", Code: 31, Doc: "of the goroutine's next Enter or Call: see package internal/trace/spec, Calls",
		Args: []Arg{{"what", Number}, {"value", Number}}, Step: true},

	// In chunks of definitions.
	{Name: "Meta", Code: 32, Doc: "a property of the trace", Args: []Arg{{"key", Text}, {"value", Text}}},
	{Name: "Goroutine", Code: 33, Doc: "its number for the program, and where it was started",
		Args: []Arg{{"id", Number}, {"goid", Number}, {"parent", Number}, {"pos", Number}, {"name", Text}}},
	{Name: "VarName", Code: 34, Doc: "of a variable", Args: []Arg{{"id", Number}, {"name", Text}}},
	{Name: "LockName", Code: 35, Doc: "of a lock", Args: []Arg{{"id", Number}, {"name", Text}}},
	{Name: "ObjName", Code: 36, Doc: "of an object", Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}}},
	{Name: "Point", Code: 37, Doc: "an access point", Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}}},
	{Name: "Conflict", Code: 38, Doc: "two access points conflict", Args: []Arg{{"point", Number}, {"other", Number}}},
	{Name: "Method", Code: 39, Doc: "of a specified type", Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}}},
	{Name: "Position", Code: 40, Doc: "the innermost frame of a stack, and the number of the position of its caller",
		Args: []Arg{{"id", Number}, {"pc", Number}, {"caller", Number}, {"line", Number}, {"func", Text}, {"file", Text}}},
	{Name: "Place", Code: 41, Doc: "a position of which a text is all that's known", Args: []Arg{{"id", Number}, {"text", Text}}},
	{Name: "Section", Code: 42, Doc: "a transaction's name", Args: []Arg{{"id", Number}, {"name", Text}}},
	{Name: "Test", Code: 43, Doc: "a test's name", Args: []Arg{{"id", Number}, {"name", Text}}},
	{Name: "Watched", Code: 44, Doc: "a position is in the source of a package that is watched", Args: []Arg{{"id", Number}}},
	{Name: "Role", Code: 45, Doc: "what a method is for: observer, mutator or arbiter", Args: []Arg{{"method", Number}, {"role", Text}}},
	{Name: "Formula", Code: 46, Doc: "when calls of two methods commute, and where the specification says so",
		Args: []Arg{{"method", Number}, {"other", Number}, {"results", Number}, {"text", Text}, {"at", Text}}},
	{Name: "CallSite", Code: 47, Doc: "of calls of a method at a position: what they are made on, and more",
		Args: []Arg{{"pos", Number}, {"method", Number}, {"flags", Number}, {"kind", Text}, {"name", Text}, {"at", Text}}},
	{Name: "Key", Code: 48, Doc: "the text of a key that has a hash", Args: []Arg{{"hash", Hash}, {"text", Text}}},
	{Name: "Member", Code: 49, Doc: "a goroutine belongs to a test; so do those that it starts",
		Args: []Arg{{"goroutine", Number}, {"test", Number}}},
	{Name: "Specified", Code: 50, Doc: "a type has these access points and methods, numbered one after the other",
		Args: []Arg{{"point", Number}, {"method", Number}, {"points", Number}, {"methods", Number}, {"keyed", Number},
			{"type", Text}}},
	{Name: "Shape", Code: 51, Doc: "what a method is given and returns, and which of it are keys",
		Args: []Arg{{"method", Number}, {"flags", Number}, {"keys", Number}, {"params", Text}, {"results", Text}}},
	{Name: "Cases", Code: 52, Doc: "what a method's calls touch, in some cases of their results",
		Args: []Arg{{"method", Number}, {"first", Number}, {"touches", Text}}},
	{Name: "Exception", Code: 53, Doc: "calls of two methods commute if these conditions hold, whatever they touch",
		Args: []Arg{{"method", Number}, {"other", Number}, {"conditions", Text}}},
	{Name: "Act", Code: 54, Doc: "calls of a method at a position decide about those at a line of the function",
		Args: []Arg{{"pos", Number}, {"method", Number}, {"line", Number}, {"file", Text}, {"act", Text}}},

	// In the watched program only.
	{Name: "ReleaseAcquire", Code: 58, Doc: "exchanges what was released for what came before",
		Acquires: true, Releases: true, As: []string{"Acquire", "Release"}},
	{Name: "PlainLoad", Code: 59, Doc: "of a word of what sync.Map is made of",
		Acquires: true, Library: true, Access: Reads, As: []string{"Acquire"}},
	{Name: "PlainStore", Code: 60, Doc: "of such a word", Releases: true, Library: true, Access: Writes, As: []string{"Release"}},
	{Name: "PlainRMW", Code: 61, Doc: "of such a word", Acquires: true, Releases: true, Merges: true, Library: true,
		As: []string{"AtomicRMW"}},
	{Name: "TimerSet", Code: 62, Doc: "what the timer starts comes after it", Releases: true, Library: true, As: []string{"Release"}},
	{Name: "AtomicDone", Code: 63, Doc: "an atomic operation that came later than its announcement is over",
		Acquires: true, Library: true, As: []string{"Acquire"}},
}
