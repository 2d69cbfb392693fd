// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a run prints of one finding depends on the order in which its goroutines find parts of it.
// Calls that overlap can be found in another order by the analysis of the run's trace.

// isPart reports whether a race of a run is of calls that a check and act of that run has, too. The
// race is part of that finding. But a run can have found it, and have printed it, before the other
// goroutine found the check and act. The analysis prints all in the end.
func isPart(race string, run []string) bool {
	m := raceSides.FindStringSubmatch(race)
	return m != nil && slices.ContainsFunc(run, func(x string) bool {
		c := breachCalls.FindStringSubmatch(x)
		return c != nil && slices.Contains(c[1:], m[1]) && slices.Contains(c[1:], m[2])
	})
}

// isWeaker reports whether a check and act is in a list with better evidence: then it need not be
// reported once more. Whether it is depends on which of the two was found first, and calls that
// overlap can be found in another order by a run than by its analysis.
func isWeaker(breach string, list []string) bool {
	c := breachCalls.FindStringSubmatch(breach)
	return c != nil && slices.ContainsFunc(list, func(x string) bool {
		o := breachCalls.FindStringSubmatch(x)
		return o != nil && o[1] == c[1] && o[2] == c[2] && sureness(x) > sureness(breach)
	})
}

// sureness is greater for better evidence.
func sureness(line string) int {
	return slices.Index([]string{"race", "predicted", "observed"},
		line[strings.LastIndexByte(line, ' ')+1:])
}

var (
	raceSides   = regexp.MustCompile(`^(\w+ [^ ,]+), (\w+ [^ ,]+): [a-z ]+, race$`)
	breachCalls = regexp.MustCompile(`^check (\w+ [^ ,]+), act (\w+ [^ ,]+), other (\w+ [^ ,]+): `)
)

// TestIsPart has races of the calls of a check and act, and others.
func TestIsPart(t *testing.T) {
	run := []string{
		"check Contains a.go:92, act Add a.go:93, other Contains a.go:92: stale check, race",
	}
	for race, want := range map[string]bool{
		"Add a.go:93, Add a.go:93: lost update, race":         true,
		"Add a.go:93, Contains a.go:92: order, race":          true,
		"Add a.go:93, Add a.go:95: lost update, race":         false,
		"Add a.go:93, Purge a.go:93: lost update, race":       false,
		"check Contains a.go:92, act Add a.go:93, other x: y": false,
	} {
		if got := isPart(race, append(run, race)); got != want {
			t.Errorf("%s: %v", race, got)
		}
	}
}

// TestIsWeaker has a check and act with three kinds of evidence.
func TestIsWeaker(t *testing.T) {
	race := "check Contains a.go:92, act Add a.go:93, other Contains a.go:92: duplicate work, race"
	predicted := "check Contains a.go:92, act Add a.go:93, other Add a.go:93: lost update, predicted"
	elsewhere := "check Contains a.go:92, act Add a.go:95, other Add a.go:93: lost update, observed"
	if !isWeaker(race, []string{predicted}) || isWeaker(predicted, []string{race}) ||
		isWeaker(race, []string{race, elsewhere}) ||
		isWeaker("Add a.go:93, Add a.go:93: lost update, race", []string{predicted}) {
		t.Error("what is weaker")
	}
}
