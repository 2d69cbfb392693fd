// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

// A Run is what one run of commute has found: what -report=json=FILE writes.
type Run struct {
	Version  int        `json:"version"`           // [Version]
	Command  []string   `json:"command,omitempty"` // "commute", and its arguments
	Findings []*Finding `json:"findings"`          // each once, the worst first

	// Failures are those of explored tests in which nothing was found.
	Failures []Failure `json:"failures,omitempty"`
}

// A Failure is an explored test that has failed without a finding, for example by a panic or a
// deadlock.
type Failure struct {
	Package  string   `json:"package,omitempty"` // of the test
	Why      string   `json:"why"`               // a line: "panic: send on closed channel"
	Output   string   `json:"output"`            // what the test has printed
	Schedule Schedule `json:"schedule"`          // by which it fails
}

// Said has the parts of a report that are text. A watched program's report has all parts that
// apply.
type Said struct {
	Headline string       `json:"headline,omitempty"` // what was found, in a sentence
	Steps    []Step       `json:"steps,omitempty"`    // an order in which it happens
	Source   []SourceLine `json:"source,omitempty"`   // the lines that the report is about
	Because  string       `json:"because,omitempty"`  // the evidence in words
	Mend     string       `json:"mend,omitempty"`     // how to mend it
	Silence  string       `json:"silence,omitempty"`  // how to keep it silent
	Page     string       `json:"page,omitempty"`     // of commute explain: "lost-update"
	Package  string       `json:"package,omitempty"`  // of a finding of vet, its package
	Times    int          `json:"times,omitempty"`    // how often it was reported in a run
	Fixes    []Fix        `json:"fixes,omitempty"`    // changes to the source that mend it
	Report   string       `json:"report,omitempty"`   // the text, as the program has printed it

	// Schedules lists the schedules by which explored tests found it.
	Schedules []Schedule `json:"schedules,omitempty"`
}

// Describe fills in the [Said] of a finding in a recorded trace.
func (f *Finding) Describe() {
	if !f.Recorded || f.Headline != "" {
		return
	}
	for _, said := range Parse([]byte(f.Text())) {
		f.Said = said.Said
		f.Report = ""
	}
}

// A Step is a line of an interleaving: an operation of one goroutine.
type Step struct {
	Goroutine string `json:"goroutine"`    // "goroutine 7", as the report has it
	At        string `json:"at,omitempty"` // file:line; the file has its full path if it is known
	Does      string `json:"does"`         // `Load("a") = nil, false`

	// Number is the step's place in the order of the run, from 1, if the steps are in another order
	// and the place is known.
	Number uint64 `json:"event,omitempty"`

	// Forced says, in a schedule, that here another goroutine goes on though it was not due.
	Forced bool `json:"forced,omitempty"`
}

// A Schedule is an order in which the goroutines of a test ran. Goroutines are named by go
// statements: "goroutine 1.2" is the second one that the test's goroutine has started.
type Schedule struct {
	Test   string `json:"test"`             // its name
	Replay string `json:"replay,omitempty"` // the command that runs it so again
	Steps  []Step `json:"steps"`            // their operations on objects that others use, too
}

// A SourceLine is a line of the program.
type SourceLine struct {
	At   string `json:"at"` // file:line
	Text string `json:"text"`
}

// A Fix is a change of the source.
type Fix struct {
	Message string `json:"message"` // what it does
	Edits   []Edit `json:"edits"`   // none overlaps another
}

// An Edit replaces bytes of a file.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"` // the first byte that is replaced, from 0
	End   int    `json:"end"`   // and the first one after it that is not
	New   string `json:"new"`   // the text that replaces them
}
