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

// A Failure is a test that was explored and has failed, without a finding: it has panicked, say, or
// its goroutines wait for each other.
type Failure struct {
	Package  string   `json:"package,omitempty"` // of the test
	Why      string   `json:"why"`               // a line: "panic: send on closed channel"
	Output   string   `json:"output"`            // what the test has printed
	Schedule Schedule `json:"schedule"`          // by which it fails
}

// Said is what a report says in words. A watched program's report has all of it that applies.
type Said struct {
	Headline string       `json:"headline,omitempty"` // what was found, in a sentence
	Steps    []Step       `json:"steps,omitempty"`    // an order in which it happens
	Source   []SourceLine `json:"source,omitempty"`   // the lines that the report is about
	Because  string       `json:"because,omitempty"`  // what the evidence is
	Mend     string       `json:"mend,omitempty"`     // how to mend it
	Silence  string       `json:"silence,omitempty"`  // how to keep it silent
	Page     string       `json:"page,omitempty"`     // of commute explain: "lost-update"
	Package  string       `json:"package,omitempty"`  // of what vet finds, where that is
	Times    int          `json:"times,omitempty"`    // how often it was reported in a run
	Fixes    []Fix        `json:"fixes,omitempty"`    // changes of the source that mend it
	Report   string       `json:"report,omitempty"`   // the text, as the program has printed it

	// Schedules are, of tests that were explored, those by which it was found.
	Schedules []Schedule `json:"schedules,omitempty"`
}

// Describe fills in what is said of a finding in a recorded trace, as [Said] has it of others.
func (f *Finding) Describe() {
	if !f.Recorded || f.Headline != "" {
		return
	}
	for _, said := range Parse([]byte(f.Text())) {
		f.Said = said.Said
		f.Report = ""
	}
}

// A Step is a line of an interleaving: what one goroutine does, before the next step is made.
type Step struct {
	Goroutine string `json:"goroutine"`    // "goroutine 7", as the report has it
	At        string `json:"at,omitempty"` // file:line; the file has its full path if it is known
	Does      string `json:"does"`         // `Load("a") = nil, false`

	// Number is the step's place in the order of the run, from 1, if the steps are in another one
	// and that is known.
	Number uint64 `json:"event,omitempty"`

	// Forced is there of a schedule: another goroutine goes on though it was not due.
	Forced bool `json:"forced,omitempty"`
}

// A Schedule is an order in which the goroutines of a test have gone on. They are named by go
// statements: "goroutine 1.2" is the second one that the test's has started.
type Schedule struct {
	Test   string `json:"test"`             // its name
	Replay string `json:"replay,omitempty"` // the command that runs it so again
	Steps  []Step `json:"steps"`            // what they do with objects that others use, too
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
	New   string `json:"new"`   // what takes their place
}
