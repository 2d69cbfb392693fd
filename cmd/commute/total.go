// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/report"
)

// total is a line about what was found in all packages, "" if that is in one summary: each test
// binary writes one of its own. Findings are those that are told apart: many processes may have
// one.
func (c *counts) total(findings []*report.Finding) string {
	if len(c.programs) < 2 || len(c.finders) == 0 {
		return ""
	}
	found, broken := make(map[string]int), 0
	for _, f := range c.failing(findings) {
		found[sortOf(f)]++
		if sortOf(f) == race && f.Kind == report.CheckThenActRace {
			broken++
		}
	}
	var list []string
	for _, k := range []struct{ sort, one, many string }{
		{"data race", "data race", "data races"},
		{"violation", "atomicity violation", "atomicity violations"},
		{race, "commutativity race", "commutativity races"},
		{inSections, "check and act in separate critical sections",
			"checks and acts in separate critical sections"},
		{"deadlock", "potential deadlock", "potential deadlocks"},
		{leak, "leaked goroutine", "leaked goroutines"},
	} {
		n := found[k.sort]
		if n == 0 {
			continue
		}
		what := k.many
		if n == 1 {
			what = k.one
		}
		if what = fmt.Sprintf("%d %s", n, what); k.sort == race {
			what += breaking(broken, n)
		}
		list = append(list, what)
	}
	line := fmt.Sprintf("found in %d of %d packages (%s)", len(c.finders), len(c.programs),
		strings.Join(slices.Sorted(maps.Keys(c.finders)), ", "))
	if len(list) > 0 {
		line += ": " + strings.Join(list, ", ")
	}
	return line
}

const (
	race       = "race" // what sortOf has of two calls, also if they break a check and act
	leak       = "leak"
	inSections = "sections" // the check that finds checks and acts in two critical sections
)

// sortOf is what a finding counts as.
func sortOf(f *report.Finding) string {
	switch {
	case f.Check == inSections:
		return inSections
	case f.Kind == report.DataRace:
		return "data race"
	case f.Kind == report.AtomicityViolation:
		return "violation"
	case f.Kind == report.Deadlock:
		return "deadlock"
	case f.Kind == report.LeakedGoroutine:
		return leak
	}
	return race
}

// failing are the findings that fail tests: not those that are warnings, which have a list.
func (c *counts) failing(findings []*report.Finding) []*report.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f *report.Finding) bool {
		return mayWarn(f.Kind) && c.warned[f.Fingerprint()]
	})
}

// breaking says how many of some commutativity races break a check and act.
func breaking(n, all int) string {
	switch {
	case n == 0:
		return ""
	case n == all && n == 1:
		return " that breaks a check and act"
	case n == all:
		return " that break a check and act"
	case n == 1:
		return " (1 breaks a check and act)"
	default:
		return fmt.Sprintf(" (%d break a check and act)", n)
	}
}

// logged says where the reports are, if option log_path has them in files: each process writes one,
// named with its number. It is "" if there are none.
func logged(findings []*report.Finding) string {
	settings, _ := option.Parse(os.Getenv(option.Variable))
	o, path := option.Find("log_path"), ""
	for _, s := range settings {
		if s.Name == o.Name {
			path = s.Value
		}
	}
	if path == "" || slices.Contains(o.Words, path) || len(findings) == 0 {
		return ""
	}
	return fmt.Sprintf("%s in %s.*", number(uint64(len(findings)), "finding"), path)
}

// maxListed is how many findings the list over all packages has.
const maxListed = 20

// list has a line for each finding of all packages, the worst first, with its tests. It is empty if
// one package was tested: that has a list of its own.
func (c *counts) list(findings []*report.Finding) (lines []string) {
	if len(c.programs) < 2 {
		return nil
	}
	root := location.At(sourceRoot())
	findings = c.failing(findings)
	for i, f := range findings {
		if i == maxListed {
			return append(lines, fmt.Sprintf("%d more (-report=html=FILE has all)",
				len(findings)-maxListed))
		}
		lines = append(lines, findingLine(f, root))
	}
	return lines
}

// findingLine is a finding in a line: where, what, on which object, and in which tests.
func findingLine(f *report.Finding, root location.Root) string {
	at := root.Primary(f)
	path, _ := root.Path(at.File)
	s := fmt.Sprintf("%s:%d: %s", path, at.Line, f.Kind)
	if f.Effect != "" {
		s += ", " + string(f.Effect)
	}
	if f.Evidence != report.Race {
		s += ", " + string(f.Evidence)
	}
	switch {
	case f.Object != nil && f.Object.Name != "":
		s += ": " + f.Object.Name
	case len(f.Transactions) > 0 && f.Transactions[0].Name != "":
		name := f.Transactions[0].Name
		s += ": " + name[strings.LastIndexByte(name, '/')+1:]
	}
	if n := len(f.Tests); n > 3 {
		s += fmt.Sprintf(" (%s and %d more)", strings.Join(f.Tests[:3], ", "), n-3)
	} else if n > 0 {
		s += " (" + strings.Join(f.Tests, ", ") + ")"
	}
	return s
}
