// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

// A page is the data of the page. What many findings have is in a table, and they have its index.
// Names of fields are short where there are many.
type page struct {
	Command  string    `json:"command"`
	Frames   []frame   `json:"frames"`
	Stacks   [][]int   `json:"stacks"` // indexes of frames, the innermost first
	Excerpts []excerpt `json:"excerpts"`
	Lines    []string  `json:"lines"` // of reports
	Findings []finding `json:"findings"`
}

// A frame is one of a stack.
type frame struct {
	Func    string `json:"f"`
	Place   string `json:"p"`           // file:line, as short as it can be found by
	Library bool   `json:"l,omitempty"` // the program has called it for synchronization, or as a test
}

// An excerpt is some lines of a file.
type excerpt struct {
	File  string   `json:"file"`
	First int      `json:"first"` // the number of the first line
	Text  []string `json:"text"`
}

// A finding is one, as it is shown.
type finding struct {
	ID       string `json:"id"` // its fingerprint, or what is like it
	Kind     string `json:"kind"`
	Evidence string `json:"evidence"`
	Effect   string `json:"effect,omitempty"`
	Package  string `json:"package,omitempty"`
	Decl     string `json:"decl"`             // what it is about: an object, a function
	DeclAt   string `json:"declAt,omitempty"` // and where that is declared
	Headline string `json:"headline"`
	Place    string `json:"place,omitempty"` // where it is in the program

	Harm    string      `json:"harm,omitempty"`    // what can go wrong
	Because string      `json:"because,omitempty"` // what the evidence is
	Mend    string      `json:"mend,omitempty"`
	Silence string      `json:"silence,omitempty"`
	Page    string      `json:"page,omitempty"`  // of commute explain
	Facts   [][2]string `json:"facts,omitempty"` // other things, by name

	Lanes  []lane  `json:"lanes,omitempty"`
	Events []event `json:"events,omitempty"`
	Pairs  []pair  `json:"pairs,omitempty"`
	Bands  []band  `json:"bands,omitempty"`
	Charts []chart `json:"charts,omitempty"`

	// Explored are the schedules by which tests had it, drawn on their own: goroutines have other
	// names there.
	Explored []explored `json:"explored,omitempty"`

	Source []marked `json:"source,omitempty"`
	Fixes  []fix    `json:"fixes,omitempty"`
	Report []int    `json:"report,omitempty"` // indexes of lines
}

// A lane is a goroutine.
type lane struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"` // who started it
	// Stack is that of the go statement: its index and 1, or 0.
	Stack int `json:"s,omitempty"`
}

// An event is what one goroutine did.
type event struct {
	Lane   int    `json:"l"`
	Text   string `json:"t"`
	Place  string `json:"p,omitempty"`
	Func   string `json:"f,omitempty"`
	Number uint64 `json:"n,omitempty"` // in the trace
	Stack  int    `json:"s,omitempty"` // its index and 1, or 0
	What   string `json:"w,omitempty"` // which side it is: "check", "act", ...
	More   string `json:"m,omitempty"` // the address, the object
	Minor  bool   `json:"x,omitempty"` // it has no part in the finding
	Forced bool   `json:"o,omitempty"` // another goroutine goes on, though it was not due
	Broken bool   `json:"b,omitempty"` // a read, which sees another write than in the trace
}

// A pair is two events, by their indexes, that have something to do with each other.
type pair struct {
	From int      `json:"a"`
	To   int      `json:"b"`
	Kind pairKind `json:"k"`
}

// A pairKind is what two events have to do with each other.
type pairKind string

const (
	conflict pairKind = "conflict" // the order makes a difference; which is first, a chart has
	order    pairKind = "order"    // From is before To in every order
	waits    pairKind = "waits"    // From waits until the goroutine of To lets go what it took at To
)

// A band is a stretch of a lane: a transaction, a critical section.
type band struct {
	Lane   int    `json:"l"`
	Events []int  `json:"e"` // it is from the first to the last of these
	Name   string `json:"name"`
}

// A chart is an order of the events.
type chart struct {
	Title string   `json:"title"`
	Note  string   `json:"note,omitempty"`
	Order []int    `json:"order"`           // indexes of events
	Moved []int    `json:"moved,omitempty"` // those that are elsewhere in the other chart
	Links [][2]int `json:"links,omitempty"` // events that are ordered by what the program does
	Left  int      `json:"left,omitempty"`  // how many events before are left out
}

// marked is an excerpt, and which of its lines the finding is about.
type marked struct {
	Excerpt int   `json:"x"`
	Lines   []int `json:"lines"`
}

// A fix is a change of the source, as a difference.
type fix struct {
	Message string   `json:"message"`
	Diff    []string `json:"diff,omitempty"` // lines, which begin with " ", "-", "+" or "@"
}

// explored is a schedule of an explored test. Its events have no pairs.
type explored struct {
	Title  string  `json:"title"`
	Replay string  `json:"replay,omitempty"` // the command
	Lanes  []lane  `json:"lanes"`
	Events []event `json:"events"`
	Charts []chart `json:"charts"` // one
}
