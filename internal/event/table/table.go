// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package table has a row for each kind of event: its number and operands in recorded traces, what
// it acquires and releases, and what it conflicts with. Everything else about kinds comes from
// these rows. "go generate" makes the kinds of package event, which the engine and the checkers
// share. The table of package internal/trace/spec is this one.
//
// Input: nothing. Output: [Rows]. To add a kind, add a row and run "go generate
// ./internal/event/...".
//
// # Terms
//
//	kind        what an event does, or what a record of a trace defines
//	step        an event of a goroutine, which has a number and a position in a trace
//	operand     a value of a record: of a step mostly the variable, lock or object
//	definition  a record that names or describes something that steps refer to
//	release     to pass on what came before an event; an acquire comes after it
package table

//go:generate go run ../gen

// A Type is how an operand is written in a trace.
type Type uint8

const (
	Number   Type = iota // a varint
	Signed               // a zigzag varint
	Variable             // a zigzag varint: the difference to the chunk's last Variable, at first 0
	Lock                 // likewise, to the last Lock
	Object               // likewise, to the last Object
	Hash                 // eight bytes, little endian
	Text                 // a varint, the number of bytes, and those
)

// An Arg is an operand.
type Arg struct {
	Name string
	Type Type
}

// A Property is a set of what can be said of a kind.
type Property uint16

const (
	// Step: in a trace, an event of this kind has a number and a position.
	Step Property = 1 << iota
	// Op: checkers get events of this kind. Other kinds that are recorded become such events, or
	// names for what such events are about.
	Op

	// Acquires: what was released before comes before what follows.
	Acquires
	// Releases: what came before it comes before what later acquires are followed by.
	Releases
	// Merges: it is a release that keeps what was released before.
	Merges

	// Reads and Writes: it accesses a variable. Two accesses of one variable conflict unless both
	// only read.
	Reads
	Writes

	// Atomic: it is an operation of package sync/atomic.
	Atomic
	// Library: the library orders goroutines by it for itself, so transactions don't conflict by
	// it.
	Library
)

// A Class is the name of a constant of package event: what events of a kind and others of its class
// conflict by. It is empty for a kind whose events conflict with none.
type Class string

// The classes.
const (
	Memory     Class = "OfMemory"
	ObjectCall Class = "OfObject"
	Atom       Class = "OfAtomic"
	Sync       Class = "OfSync"
	Start      Class = "OfFork"
)

// A Row is all that there is to know of a kind.
type Row struct {
	Name  string
	Code  uint8 // its number; a step's is below [Limit], so that it fits into the first byte
	Props Property
	Class Class
	Args  []Arg  // its operands in a trace: at most three of a step, and six of a definition
	Doc   string // what the event is, as a comment says it

	// As has the kinds that stand for it in a trace, one after the other. It is empty if the kind
	// is recorded as itself, or never.
	As []string
}

// Is reports whether the kind has a property.
func (r *Row) Is(p Property) bool { return r.Props&p != 0 }

// IsStep reports whether an event of the kind has a number and a position in a trace.
func (r *Row) IsStep() bool { return r.Is(Step) }

// Limit is the least number that doesn't fit into the first byte of a step. Definitions have the
// numbers from FirstDefinition on, but for those from FirstOnline up to Properties, whose kinds are
// in no trace. Kinds from Properties on have no [Property]. Numbers are less than Size.
const (
	Limit           = 32
	FirstDefinition = 32
	FirstOnline     = 58
	Properties      = 64
	Size            = 72
)

// InTraces reports whether there are records of the kind.
func (r *Row) InTraces() bool { return r.Code < FirstOnline || r.Code >= Properties }

// The operands that many kinds have.
var (
	variable  = []Arg{{"var", Variable}}
	lock      = []Arg{{"lock", Lock}}
	goroutine = []Arg{{"goroutine", Number}}
)

// Rows has all kinds, in the order of their numbers.
var Rows = []Row{
	// In chunks of events.
	{Name: "Go", Code: 1, Args: goroutine, Doc: "what follows is of this goroutine"},
	{Name: "Seq", Code: 2, Args: []Arg{{"skip", Signed}},
		Doc: "the next step's number is greater by this than it would be"},
	{Name: "Read", Code: 3, Props: Step | Op | Reads, Class: Memory,
		Args: variable, Doc: "of a variable"},
	{Name: "Write", Code: 4, Props: Step | Op | Writes, Class: Memory,
		Args: variable, Doc: "of a variable"},
	{Name: "Acquire", Code: 5, Props: Step | Op | Acquires, Class: Sync, Args: lock,
		Doc: "of a lock, or of whatever else is released"},
	{Name: "Release", Code: 6, Props: Step | Op | Releases, Class: Sync, Args: lock,
		Doc: "of a lock; replaces the earlier releases"},
	{Name: "ReleaseMerge", Code: 7, Props: Step | Op | Releases | Merges, Class: Sync, Args: lock,
		Doc: "of a lock; adds to the earlier releases"},
	{Name: "AtomicLoad", Code: 8, Props: Step | Acquires | Atomic | Reads, Class: Atom, Args: lock,
		Doc: "an acquire"},
	{Name: "AtomicStore", Code: 9, Props: Step | Releases | Atomic | Writes, Class: Atom,
		Args: lock,
		Doc:  "a release"},
	{Name: "AtomicRMW", Code: 10, Props: Step | Acquires | Releases | Merges | Atomic | Writes,
		Class: Atom,
		Args:  lock,
		Doc:   "an acquire and a merging release in one"},
	{Name: "Fork", Code: 11, Props: Step | Op, Class: Start,
		Args: goroutine, Doc: "of a goroutine"},
	{Name: "Join", Code: 12, Props: Step | Op | Acquires, Args: goroutine, Doc: "of a goroutine"},
	{Name: "Exit", Code: 13, Props: Step, Doc: "of the goroutine itself"},
	{Name: "Begin", Code: 14, Props: Step | Op, Args: []Arg{{"section", Number}},
		Doc: "of a transaction, or of something nested in one"},
	{Name: "End", Code: 15, Props: Step | Op,
		Doc: "of a transaction, or of something nested in one"},
	{Name: "Call", Code: 16, Props: Step | Acquires, Class: ObjectCall,
		Args: []Arg{{"object", Object}, {"method", Number}, {"touches", Number}},
		Doc:  "of a method of an object; its touches follow"},
	{Name: "Touch", Code: 17, Props: Step | Op, Class: ObjectCall,
		Args: []Arg{{"object", Object}, {"point", Number}},
		Doc:  "of an object's access point"},
	{Name: "TouchKey", Code: 18, Props: Step, Class: ObjectCall,
		Args: []Arg{{"object", Object}, {"point", Number}, {"key", Hash}},
		Doc:  "of the access point that an object has for a key"},
	{Name: "TestBegin", Code: 19, Props: Step, Args: []Arg{{"test", Number}}, Doc: "of a test"},
	{Name: "TestEnd", Code: 20, Props: Step, Args: []Arg{{"test", Number}}, Doc: "of a test"},
	{Name: "Fresh", Code: 21, Props: Step, Args: []Arg{{"address", Hash}, {"size", Number}},
		Doc: "memory at these addresses is new, though it may have been used before"},
	{Name: "ReadRange", Code: 22, Props: Step | Reads, Class: Memory,
		Args: []Arg{{"var", Variable}, {"size", Number}},
		Doc:  "of all variables at these addresses"},
	{Name: "WriteRange", Code: 23, Props: Step | Writes, Class: Memory,
		Args: []Arg{{"var", Variable}, {"size", Number}},
		Doc:  "likewise"},
	{Name: "AcquireAll", Code: 24, Props: Step | Acquires,
		Doc: "all that has happened comes before what follows"},
	{Name: "Hide", Code: 25, Props: Step,
		Doc: "what follows is part of a call that counts as one step"},
	{Name: "Show", Code: 26, Props: Step, Doc: "ends that"},
	{Name: "State", Code: 27, Props: Step,
		Args: []Arg{{"hidden", Number}, {"open", Number}, {"section", Number}},
		Doc:  "what the goroutine is doing: see package internal/trace/spec, Rings"},
	{Name: "Origin", Code: 28, Args: []Arg{{"goid", Number}, {"parent", Number}, {"at", Number}},
		Doc: "of the goroutine that Go names: as its definition"},
	{Name: "Split", Code: 29, Props: Step | Op, Args: []Arg{{"var", Variable}, {"from", Variable}},
		Doc: "the first variable, which is new, was part of the second"},
	{Name: "Enter", Code: 30, Props: Step | Acquires, Class: ObjectCall,
		Args: []Arg{{"object", Object}, {"method", Number}, {"key", Hash}},
		Doc:  "a call begins that may change its object; a Call follows at its end"},
	{Name: "Value", Code: 31, Props: Step, Args: []Arg{{"what", Number}, {"value", Number}},
		Doc: "of what the goroutine does next: see package internal/trace/spec"},

	// In chunks of definitions.
	{Name: "Meta", Code: 32, Args: []Arg{{"key", Text}, {"value", Text}},
		Doc: "a property of the trace"},
	{Name: "Goroutine", Code: 33,
		Args: []Arg{{"id", Number}, {"goid", Number}, {"parent", Number}, {"pos", Number},
			{"name", Text}},
		Doc: "its number for the program, and where it was started"},
	{Name: "VarName", Code: 34, Args: []Arg{{"id", Number}, {"name", Text}}, Doc: "of a variable"},
	{Name: "LockName", Code: 35, Args: []Arg{{"id", Number}, {"name", Text}}, Doc: "of a lock"},
	{Name: "ObjName", Code: 36, Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}},
		Doc: "of an object"},
	{Name: "Point", Code: 37, Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}},
		Doc: "an access point"},
	{Name: "Conflict", Code: 38, Args: []Arg{{"point", Number}, {"other", Number}},
		Doc: "two access points conflict"},
	{Name: "Method", Code: 39, Args: []Arg{{"id", Number}, {"type", Text}, {"name", Text}},
		Doc: "of a specified type"},
	{Name: "Position", Code: 40,
		Args: []Arg{{"id", Number}, {"pc", Number}, {"caller", Number}, {"line", Number},
			{"func", Text}, {"file", Text}},
		Doc: "the innermost frame of a stack, and the position of its caller"},
	{Name: "Place", Code: 41, Args: []Arg{{"id", Number}, {"text", Text}},
		Doc: "a position of which only a text is known"},
	{Name: "Section", Code: 42, Args: []Arg{{"id", Number}, {"name", Text}},
		Doc: "a transaction's name"},
	{Name: "Test", Code: 43, Args: []Arg{{"id", Number}, {"name", Text}}, Doc: "a test's name"},
	{Name: "Watched", Code: 44, Args: []Arg{{"id", Number}},
		Doc: "a position is in the source of a package that is watched"},
	{Name: "Role", Code: 45, Args: []Arg{{"method", Number}, {"role", Text}},
		Doc: "what a method is for: observer, mutator or arbiter"},
	{Name: "Formula", Code: 46,
		Args: []Arg{{"method", Number}, {"other", Number}, {"results", Number}, {"text", Text},
			{"at", Text}},
		Doc: "when calls of two methods commute, and where the specification says so"},
	{Name: "CallSite", Code: 47,
		Args: []Arg{{"pos", Number}, {"method", Number}, {"flags", Number}, {"kind", Text},
			{"name", Text}, {"at", Text}},
		Doc: "of calls of a method at a position: what they are made on, and more"},
	{Name: "Key", Code: 48, Args: []Arg{{"hash", Hash}, {"text", Text}},
		Doc: "the text of a key that has a hash"},
	{Name: "Member", Code: 49, Args: []Arg{{"goroutine", Number}, {"test", Number}},
		Doc: "a goroutine belongs to a test; so do those that it starts"},
	{Name: "Specified", Code: 50,
		Args: []Arg{{"point", Number}, {"method", Number}, {"points", Number}, {"methods", Number},
			{"keyed", Number}, {"type", Text}},
		Doc: "a type has these access points and methods, numbered in a row"},
	{Name: "Shape", Code: 51,
		Args: []Arg{{"method", Number}, {"flags", Number}, {"keys", Number}, {"params", Text},
			{"results", Text}},
		Doc: "what a method is given and returns, and which of it are keys"},
	{Name: "Cases", Code: 52, Args: []Arg{{"method", Number}, {"first", Number}, {"touches", Text}},
		Doc: "what a method's calls touch, in some cases of their results"},
	{Name: "Exception", Code: 53,
		Args: []Arg{{"method", Number}, {"other", Number}, {"conditions", Text}},
		Doc:  "calls of two methods commute on these conditions, whatever they touch"},
	{Name: "Act", Code: 54,
		Args: []Arg{{"pos", Number}, {"method", Number}, {"line", Number}, {"file", Text},
			{"act", Text}},
		Doc: "calls of a method at a position decide about those at a line"},
	{Name: "Independent", Code: 55, Args: []Arg{{"section", Number}},
		Doc: "transactions of this name make the same accesses whatever they read"},
	{Name: "LockSite", Code: 56,
		Args: []Arg{{"id", Number}, {"size", Number}, {"flags", Number}, {"lock", Text},
			{"at", Text}},
		Doc: "a call that takes a lock, and so begins a critical section"},
	{Name: "Pair", Code: 57,
		Args: []Arg{{"id", Number}, {"check", Number}, {"act", Number}, {"flags", Number},
			{"func", Text}, {"by", Text}},
		Doc: "a function checks and then acts, at two places, in two critical sections"},

	// In the watched program only.
	{Name: "ReleaseAcquire", Code: 58, Props: Acquires | Releases, Class: Sync,
		As:  []string{"Acquire", "Release"},
		Doc: "exchanges what was released for what came before"},
	{Name: "PlainLoad", Code: 59, Props: Acquires | Library | Reads, As: []string{"Acquire"},
		Doc: "of a word of what sync.Map is made of"},
	{Name: "PlainStore", Code: 60, Props: Releases | Library | Writes, As: []string{"Release"},
		Doc: "of such a word"},
	{Name: "PlainRMW", Code: 61, Props: Acquires | Releases | Merges | Library,
		As:  []string{"AtomicRMW"},
		Doc: "of such a word"},
	{Name: "TimerSet", Code: 62, Props: Releases | Library, As: []string{"Release"},
		Doc: "what the timer starts comes after it"},
	{Name: "AtomicDone", Code: 63, Props: Acquires | Library, As: []string{"Acquire"},
		Doc: "an atomic operation that came later than its announcement is over"},

	// More in chunks of definitions.
	{Name: "TouchSite", Code: 64,
		Args: []Arg{{"id", Number}, {"flags", Number}, {"point", Text}, {"name", Text},
			{"decl", Text}, {"at", Text}},
		Doc: "a place where code reads or writes what locks guard"},
}
