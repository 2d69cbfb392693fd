// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"cmp"
	"slices"

	"github.com/commutego/commute/internal/engine/term"
)

// Version is the number of the schema: see the package's documentation.
const Version = 1

// A Trace has the findings in one recorded trace.
type Trace struct {
	Version int     `json:"version"` // [Version]
	File    string  `json:"file"`
	Format  string  `json:"format"`  // binary, text, std or roadrunner
	Events  uint64  `json:"events"`  // that were read
	Seconds float64 `json:"seconds"` // that the checks took
	Checks  []Check `json:"checks"`  // in the order in which they were asked for

	// Error is the error in the trace. Findings from before the error are present.
	Error string `json:"error,omitempty"`
}

// Findings lists the findings of all checks, in the order of the checks.
func (t *Trace) Findings() (list []*Finding) {
	for _, c := range t.Checks {
		list = append(list, c.Findings...)
	}
	return list
}

// A Check has the findings of one check.
type Check struct {
	Name     string            `json:"check"`
	NoData   bool              `json:"no_data,omitempty"`  // the trace has no event for the check
	Findings []*Finding        `json:"findings,omitempty"` // the worst first
	MetaInfo map[string]uint64 `json:"metainfo,omitempty"` // check metainfo: numbers by name
	Blocks   *Blocks           `json:"blocks,omitempty"`   // check avp: verdicts on transactions

	// Numbers of transactions, of a check that proves.
	Proven *uint64 `json:"proven,omitempty"`  // they are atomic in every order of the events
	Alarms *uint64 `json:"alarms,omitempty"`  // in some order they are not
	GaveUp *uint64 `json:"gave_up,omitempty"` // not known; for goodlock 1: there may be more

	// Marks are present for a check that proves, in a trace that commute has recorded.
	Marks []Mark `json:"marks,omitempty"`
}

// A Kind is a kind of finding.
type Kind string

// Kinds of findings. A check-then-act race is a race that breaks a check and its act.
const (
	AtomicityViolation Kind = "atomicity violation"
	DataRace           Kind = "data race"
	CommutativityRace  Kind = "commutativity race"
	CheckThenActRace   Kind = "check-then-act race"
	Deadlock           Kind = "deadlock"
	LeakedGoroutine    Kind = "leaked goroutine" // it waits for ever
	StaticFinding      Kind = "static finding"   // of go vet; Check is the analyzer
)

// Evidence says how certain a finding is.
type Evidence string

// The kinds of evidence.
const (
	Observed  Evidence = "observed"  // it happened, in the order that the events have
	Predicted Evidence = "predicted" // it did not happen, and could have
	Potential Evidence = "potential" // possible if the program goes on as in the trace
	Race      Evidence = "race"      // nothing in the program forces the order of the two sides
	Static    Evidence = "static"    // the source shows it, and no run was made
)

// An Effect is a kind of harm. "commute explain" has a page on each effect.
type Effect string

// Effects, the worst first.
const (
	LostUpdate     Effect = term.LostUpdate
	DuplicateWork  Effect = term.DuplicateWork
	StaleCheck     Effect = term.StaleCheck
	StaleRead      Effect = term.StaleRead
	OrderDependent Effect = term.OrderDependent
	Arbitration    Effect = term.Arbitration
)

// Severity is the rank of the effect: 0 is the worst. An unknown effect comes after all others.
func (e Effect) Severity() int {
	if i := slices.Index(term.Severity[:], string(e)); i >= 0 {
		return i
	}
	return len(term.Severity)
}

// Sort puts findings in the order of their severity, the worst first. Findings of one severity,
// and those without an effect, stay in their order.
func Sort(findings []*Finding) {
	slices.SortStableFunc(findings, func(a, b *Finding) int {
		return cmp.Compare(a.Effect.Severity(), b.Effect.Severity())
	})
}

// A Finding is one race, violation, deadlock, leak or static finding. A race has two sides, At and
// Previous; other findings have Transactions. The fields after Goroutines are only present for
// races of calls. Tests, Goroutines and data about the program in other types are only present for
// traces that commute recorded. A predicted violation has a Why, too: the assumptions of the
// prediction.
type Finding struct {
	Kind     Kind     `json:"kind"`               // what was found
	Check    string   `json:"check"`              // the check that found it
	Evidence Evidence `json:"evidence"`           // how certain it is
	Where    string   `json:"where"`              // the trace, "file" or "file:line" of At
	Recorded bool     `json:"recorded,omitempty"` // commute recorded the trace

	At           Event         `json:"at"`                     // the event at which it was found
	Previous     *Event        `json:"previous,omitempty"`     // of a race, the earlier side
	Transactions []Transaction `json:"transactions,omitempty"` // the violating one first
	Edges        []Edge        `json:"edges,omitempty"`        // i leads from transaction i on

	Tests      []string    `json:"tests,omitempty"`      // that the goroutines belong to
	Goroutines []Goroutine `json:"goroutines,omitempty"` // that take part

	Object  *Object  `json:"object,omitempty"`  // that the calls were made on
	Commute *Formula `json:"commute,omitempty"` // when the two calls would commute
	Effect  Effect   `json:"effect,omitempty"`  // what can go wrong
	Why     string   `json:"why,omitempty"`     // what the effect means for these calls
	Decided *Event   `json:"decided,omitempty"` // of a check-then-act race, the check
	Act     string   `json:"act,omitempty"`     // and which side is the act: "at" or "previous"

	// DecidedIn is the index in Decided's stack of the function that checks and acts.
	DecidedIn int `json:"decided_in,omitempty"`

	Stacks int `json:"stacks,omitempty"` // how many pairs of stacks race at these lines

	// Sections is more of a check and an act in two critical sections of a lock.
	Sections *Sections `json:"sections,omitempty"`

	// Witness is the order of events in which it is found, if that is another than the trace's.
	Witness *Witness `json:"witness,omitempty"`

	// The fields below are only present for potential findings. Nodes of a violation are the two
	// nodes between which others can come. Nodes of a deadlock are one for each thread: from the
	// acquire of the lock that it holds to the acquire of the lock that the next thread holds.
	Nodes []Node        `json:"nodes,omitempty"`
	Units []Transaction `json:"units,omitempty"` // those that can come between; single events, too

	Said
}

// A Node is a part of a thread's events. No conflicting event can come between its ends.
type Node struct {
	From Event  `json:"from"`           // the first event
	To   Event  `json:"to"`             // the last event
	Lock string `json:"lock,omitempty"` // that is held from From to To
}

// An Event is one event of the trace.
type Event struct {
	Number uint64 `json:"event"` // from 1; in an STD file it is the line
	Thread string `json:"thread"`
	Op     string `json:"op"`               // read, write, acquire, ...: see package trace
	Target string `json:"target,omitempty"` // the target of the operation, by its name in the trace
	At     string `json:"at"`               // its position, as the trace has it

	Goroutine uint64  `json:"goroutine,omitempty"` // its id in the program
	Did       string  `json:"did,omitempty"`       // the program's word: "write", "call of Store"
	Address   string  `json:"address,omitempty"`   // of the variable, the lock or the object
	Method    string  `json:"method,omitempty"`    // that was called
	Point     string  `json:"point,omitempty"`     // the access point that the call touched
	Stack     []Frame `json:"stack,omitempty"`     // innermost frame first
}

// A Frame is a frame of a stack.
type Frame struct {
	Func string `json:"func"` // with its package's path
	File string `json:"file"`
	Line uint32 `json:"line"`
}

// A Transaction is a run of code that is meant to be atomic, or one event outside of all such code.
type Transaction struct {
	Thread string `json:"thread"`
	Number uint32 `json:"number,omitempty"` // among its thread's; 0 if it is one event outside
	First  uint64 `json:"event"`            // the number of its first event
	At     string `json:"at"`               // the position of that event

	Goroutine uint64 `json:"goroutine,omitempty"` // its id in the program
	Name      string `json:"name,omitempty"`      // of the function
	MarkedAt  string `json:"marked_at,omitempty"` // file:line of the mark
}

// An Edge is two events of a cycle that conflict. From came first.
type Edge struct {
	From Event `json:"from"` // the earlier one
	To   Event `json:"to"`   // the later one, of the next transaction
}

// A Goroutine says where a goroutine was started.
type Goroutine struct {
	ID      uint64  `json:"goroutine"` // as in stack traces; 0 if it is not known
	Thread  string  `json:"thread"`
	Main    bool    `json:"main,omitempty"`       // it is the program's first
	ByTimer bool    `json:"by_timer,omitempty"`   // time.AfterFunc started it
	Creator uint64  `json:"created_by,omitempty"` // the goroutine that started it
	Test    string  `json:"test,omitempty"`       // that it belongs to
	Stack   []Frame `json:"stack,omitempty"`      // of the go statement
}

// An Object is what two calls were made on.
type Object struct {
	Type       string `json:"type"`
	Name       string `json:"name,omitempty"`        // of its declaration
	DeclaredAt string `json:"declared_at,omitempty"` // file:line
	Address    string `json:"address"`               // hexadecimal
	Keyed      bool   `json:"keyed"`                 // the calls meet on a key
	Key        string `json:"key,omitempty"`         // in Go's syntax
	KeyHash    string `json:"keyhash,omitempty"`     // if the key is not known
}

// A Formula says when calls of two methods commute.
type Formula struct {
	Methods [2]string `json:"methods"` // in the order of the specification
	Text    string    `json:"text"`
	At      string    `json:"at"` // file:line:col of the specification
}
