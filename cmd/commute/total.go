// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// total is a line about what was found in all packages, "" if that is in one summary: each test
// binary writes one of its own.
func (c *counts) total() string {
	if len(c.programs) < 2 || len(c.finders) == 0 {
		return ""
	}
	var list []string
	for _, k := range []struct{ kind, one, many string }{
		{"data-race", "data race", "data races"},
		{"violation", "atomicity violation", "atomicity violations"},
		{"race", "commutativity race", "commutativity races"},
		{"sections", "check and act in separate critical sections",
			"checks and acts in separate critical sections"},
		{"deadlock", "potential deadlock", "potential deadlocks"},
	} {
		n := c.found[k.kind]
		if n == 0 {
			continue
		}
		what := k.many
		if n == 1 {
			what = k.one
		}
		if what = fmt.Sprintf("%d %s", n, what); k.kind == "race" {
			what += c.broken()
		}
		list = append(list, what)
	}
	return fmt.Sprintf("found in %d of %d packages (%s): %s", len(c.finders), len(c.programs),
		strings.Join(slices.Sorted(maps.Keys(c.finders)), ", "), strings.Join(list, ", "))
}

// broken says how many of the commutativity races break a check and act.
func (c *counts) broken() string {
	switch n := c.found["broken"]; {
	case n == 0:
		return ""
	case n == c.found["race"] && n == 1:
		return " that breaks a check and act"
	case n == c.found["race"]:
		return " that break a check and act"
	case n == 1:
		return " (1 breaks a check and act)"
	default:
		return fmt.Sprintf(" (%d break a check and act)", n)
	}
}
