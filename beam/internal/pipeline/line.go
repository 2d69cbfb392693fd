// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// Version is the number of the schema of [Line]. The rules are those of package report.
const Version = 1

// A Line is one of the output: a finding, a trace with an error, or at the end the summary.
type Line struct {
	Version     int             `json:"version"`               // [Version]
	Fingerprint string          `json:"fingerprint,omitempty"` // of the finding
	Traces      int             `json:"traces,omitempty"`      // in how many it was found
	In          []string        `json:"in,omitempty"`          // the first of them by name
	Finding     *report.Finding `json:"finding,omitempty"`     // the plainest of them

	File  string `json:"file,omitempty"`  // that can't be read, or is not well-formed
	Error string `json:"error,omitempty"` // why

	Summary *Summary `json:"summary,omitempty"`
}

// MaxIn is how many traces a finding names at most.
const MaxIn = 100

// A Summary is what is to be said of all traces together.
type Summary struct {
	Traces   int     `json:"traces"`
	Failed   int     `json:"failed"` // of them: they have a line with an error
	Events   uint64  `json:"events"` // that were read
	Findings int     `json:"findings"`
	Checks   []Check `json:"checks"` // in the order of their names
}

// A Check is what became of one check.
type Check struct {
	Name     string         `json:"check"`
	Findings int            `json:"findings"` // different ones
	Traces   int            `json:"traces"`   // in which it has found something
	Data     int            `json:"data"`     // traces that have data for it
	Blocks   *report.Blocks `json:"blocks,omitempty"`

	// Numbers of transactions, of a check that proves; GaveUp of goodlock: of traces.
	Proven *uint64 `json:"proven,omitempty"`
	Alarms *uint64 `json:"alarms,omitempty"`
	GaveUp *uint64 `json:"gave_up,omitempty"`
}

// A traceInfo is what there is of one trace besides its findings.
type traceInfo struct {
	File   string
	Error  string
	Events uint64
	Checks []Check
}

// add adds what became of a check in one more trace.
func (c *Check) add(x *Check) {
	c.Traces += x.Traces
	c.Data += x.Data
	if b := x.Blocks; b != nil {
		if c.Blocks == nil {
			c.Blocks = new(report.Blocks)
		}
		c.Blocks.Add(b)
	}
	c.Proven, c.Alarms = sum(c.Proven, x.Proven), sum(c.Alarms, x.Alarms)
	c.GaveUp = sum(c.GaveUp, x.GaveUp)
}

// sum is the sum of two numbers, nil if neither is there.
func sum(a, b *uint64) *uint64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}

// order orders lines: the worst findings first, then those of most traces, and then errors.
func order(a, b *Line) int {
	if a.Finding == nil || b.Finding == nil {
		if a.Finding == nil && b.Finding == nil {
			return strings.Compare(a.File, b.File)
		}
		if a.Finding == nil {
			return 1
		}
		return -1
	}
	return cmp.Or(
		cmp.Compare(a.Finding.Effect.Severity(), b.Finding.Effect.Severity()),
		cmp.Compare(b.Traces, a.Traces),
		strings.Compare(a.Finding.Check, b.Finding.Check),
		strings.Compare(a.Fingerprint, b.Fingerprint),
	)
}

// String is the summary in words.
func (s *Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s\n", count(s.Traces, "trace"), count(int(s.Events), "event"),
		count(s.Findings, "finding"))
	if s.Failed > 0 {
		fmt.Fprintf(&b, "%s with an error\n", count(s.Failed, "trace"))
	}
	for _, c := range s.Checks {
		fmt.Fprintf(&b, "%s: %s in %d of %s\n", c.Name, count(c.Findings, "finding"), c.Traces,
			count(c.Data, "trace"))
		if k := c.Blocks; k != nil && k.GaveUp > 0 {
			fmt.Fprintf(&b, "%s: gave up %d of %d transactions: it isn't known whether another "+
				"order breaks them (a greater -budget may tell)\n", c.Name, k.GaveUp, k.N)
		}
		switch p := c.Proven; {
		case p != nil:
			fmt.Fprintf(&b, "%s: %d transactions are proven, %d are not serializable in some "+
				"order, %d are unknown\n", c.Name, *p, *c.Alarms, *c.GaveUp)
		case c.GaveUp != nil:
			fmt.Fprintf(&b, "%s: there may be more in %s: the search gave up\n", c.Name,
				count(int(*c.GaveUp), "trace"))
		}
	}
	return b.String()
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// linesOf are all lines of the output, in their order.
func linesOf(found []*Line, traces []traceInfo) []*Line {
	s := new(Summary)
	checks := make(map[string]*Check)
	check := func(name string) *Check {
		if checks[name] == nil {
			checks[name] = &Check{Name: name}
		}
		return checks[name]
	}
	lines := found
	for i := range traces {
		t := &traces[i]
		s.Traces++
		s.Events += t.Events
		if t.Error != "" {
			s.Failed++
			lines = append(lines, &Line{Version: Version, File: t.File, Error: t.Error})
		}
		for j := range t.Checks {
			check(t.Checks[j].Name).add(&t.Checks[j])
		}
	}
	for _, l := range found {
		s.Findings++
		check(l.Finding.Check).Findings++
	}
	for _, c := range checks {
		s.Checks = append(s.Checks, *c)
	}
	slices.SortFunc(s.Checks, func(a, b Check) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(lines, order)
	return append(lines, &Line{Version: Version, Summary: s})
}
