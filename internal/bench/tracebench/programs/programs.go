// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package programs has the programs of two papers' experiments as models: small programs in Go,
// written anew, with the locks and the atomic methods that the originals have by what is known of
// them. Each is run by a machine that decides which thread makes the next step.
//
// Input: a seed, and how often the work is done. Output: the events of that run, all locks of which
// are mutexes, and which methods are not atomic.
//
// The papers are Wang and Stoller (PPoPP 2006), section 8, whose table 1 is in [CommitNodes]; and
// Sinha, Malik, Wang and Gupta (MEMOCODE 2011), section IV, in [Predicted].
//
// A barrier is a join of all threads and a fork of new ones: traces with forks and joins alone can
// have no other.
package programs

import (
	"slices"

	"github.com/commutego/commute/internal/event"
)

// A Program is one of an experiment.
type Program struct {
	Name string
	// Bugs and Benign are the methods that some order of events breaks.
	Bugs, Benign []string
	Paper        Row    // of [CommitNodes]
	Text         string // what the paper's text says of it, of [Predicted]
	body         func(t *thread, work int)
}

// A Row is what the paper printed: reports as bugs, benign ones and false alarms, and seconds.
type Row struct {
	CommitNode, Reduction, Block      string
	CommitTime, ReduceTime, BlockTime string
}

// A Run is the events of a run, and the names of the atomic methods by the position of the begin.
type Run struct {
	Events  []event.Event
	Methods map[uint32]string
}

// Run runs the program.
func (p *Program) Run(seed uint64, work int) *Run {
	m := newMachine(seed)
	m.run(func(t *thread) { p.body(t, work) })
	return &Run{m.events, m.methods}
}

// Broken is the number of methods that some order breaks.
func (p *Program) Broken() int { return len(p.Bugs) + len(p.Benign) }

// Breaks reports whether some order breaks a method.
func (p *Program) Breaks(method string) bool {
	return slices.Contains(p.Bugs, method) || slices.Contains(p.Benign, method)
}

// CommitNodes are the programs of Wang and Stoller's table 1. That was on a processor of 1 GHz.
var CommitNodes = []*Program{
	{Name: "elevator", Benign: []string{"ClaimUp", "ClaimDown"}, body: elevator,
		Paper: Row{"0-2-0", "0-2-0", "0-2-0", "0.4", "0.5", "0.6"}},
	{Name: "tsp", Benign: []string{"Solve", "SetBest"}, body: tsp,
		Paper: Row{"0-2-0", "0-2-0", "0-2-0", "40.0", "32.5", "539"}},
	{Name: "sor", body: sor, Paper: Row{"0-0-0", "0-0-0", "0-0-0", "52.4", "53.3", "64.1"}},
	{Name: "hedc", body: hedc, Paper: Row{"0-0-0", "0-0-1", "0-0-0", "1.0", "1.0", "2.1"}},
	{Name: "moldyn", body: moldyn,
		Paper: Row{"0-0-0", "0-0-0", "0-0-0", "2066", "2302.1", "1734.6"}},
	{Name: "montecarlo", body: montecarlo,
		Paper: Row{"0-0-0", "0-0-0", "0-0-0", "463", "490.1", "491.4"}},
	{Name: "raytracer", Bugs: []string{"Run", "Render"}, body: raytracer,
		Paper: Row{"2-0-0", "2-0-0", "2-0-0", "650", "718.9", "2177.6"}},
	{Name: "jigsaw", Bugs: []string{"LoadStore"}, body: jigsaw,
		Benign: []string{"Statistics", "GetThread", "Log"},
		Paper:  Row{"1-3-0", "1-3-1", "1-3-0", "3.4", "2.74", "505.4"}},
	{Name: "StringBuffer", Benign: []string{"Append"}, body: stringBuffer,
		Paper: Row{"0-1-0", "0-1-0", "0-1-0", "", "", ""}},
	{Name: "Vector", Bugs: []string{"NewFrom", "AddAll", "RemoveAll", "RetainAll"},
		Benign: []string{"ContainsAll", "Equal", "LastIndexOf", "Elements"}, body: vectors,
		Paper: Row{"4-4-0", "4-4-10", "4-4-0", "", "", ""}},
	{Name: "Hashtable", Benign: []string{"PutAll", "Equal", "ToString", "HashCode"}, body: tables,
		Paper: Row{"0-4-0", "0-4-1", "0-4-0", "", "", ""}},
	{Name: "Stack", Bugs: []string{"AddAll", "RemoveAll", "RetainAll"},
		Benign: []string{"ContainsAll", "Equal", "LastIndexOf", "Elements"}, body: stacks,
		Paper: Row{"3-4-0", "3-4-12", "3-4-0", "", "", ""}},
}

// Predicted are programs of Sinha and others' section IV. Its table I is not in the text that there
// is.
var Predicted = []*Program{
	{Name: "account", Bugs: []string{"Transfer"}, body: account,
		Text: "fewer blocks end in a timeout with the TAS"},
	{Name: "philo", body: philo, Text: "no timeout with the TAS"},
	{Name: "Elevator", Benign: []string{"ClaimUp", "ClaimDown"}, body: elevator,
		Text: "no timeout with the TAS"},
	{Name: "Tsp", Benign: []string{"Solve", "SetBest"}, body: tsp,
		Text: "each block passes the static check; the TAS is 0.2% of the trace"},
	{Name: "Barrier", Bugs: []string{"Arrive"}, body: barrier,
		Text: "fewer blocks end in a timeout with the TAS"},
	{Name: "SynchBench", body: synchBench, Text: "each block passes the static check"},
	{Name: "ThriftTrace", body: thrift, Text: "more than 90% of the blocks pass the static check"},
}
