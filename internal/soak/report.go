// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"regexp"
	"strings"
)

// A report is what commute says of two accesses, or of a transaction.
type report struct {
	kind  string    // what follows WARNING:
	sides [2]string // the stacks of the two accesses; of a transaction, its name
	text  string
}

// The kinds of reports that can be expected.
const (
	dataRace    = "DATA RACE"
	commuteRace = "COMMUTATIVITY RACE"
	violation   = "ATOMICITY VIOLATION"
)

var (
	ruler   = "==================\n"
	warning = regexp.MustCompile(`(?m)^WARNING: ([A-Z -]+)$`)
	// side is one of two accesses.
	side = regexp.MustCompile(`(?m)^.* by (?:main goroutine|goroutine \d+):\n((?:  .*\n)*)`)
	// broken names a transaction.
	broken = regexp.MustCompile(`(?m)^(main\.\w+), marked as atomic at `)
	// frame is a function or a line of a program's main file.
	frame = regexp.MustCompile(`\bmain\.(\w+)|/program\.go:(\d+)`)
	// totals are the lines at the end of a run, and what is indented below them.
	totals = regexp.MustCompile(`(?m)^(commute: .*)\n(  .*\n)*`)
)

// reports takes what a program printed on stderr apart: its reports, and what else there is.
func reports(stderr string) (found []report, rest string) {
	var other strings.Builder
	for {
		before, after, ok := strings.Cut(stderr, ruler)
		other.WriteString(before)
		if !ok {
			break
		}
		text, after, _ := strings.Cut(after, ruler)
		stderr = after
		r := report{text: text}
		if m := warning.FindStringSubmatch(text); m != nil {
			r.kind = m[1]
		}
		if m := broken.FindStringSubmatch(text); m != nil {
			r.sides[0] = m[1]
		} else {
			for i, m := range side.FindAllStringSubmatch(text, 2) {
				r.sides[i] = m[1]
			}
		}
		found = append(found, r)
	}
	return found, totals.ReplaceAllString(other.String(), "")
}
