// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package term

import (
	"slices"
	"strings"
	"testing"
)

// TestEffect has each pair of roles, in both orders.
func TestEffect(t *testing.T) {
	for _, c := range []struct {
		roles         string
		keyed, result bool
		want          string
	}{
		{"mm", true, false, LostUpdate},
		{"mm", true, true, OrderDependent},
		{"am", true, false, StaleCheck},
		{"mo", true, false, StaleRead},
		{"mo", false, false, OrderDependent},
		{"ao", true, false, Arbitration},
		{"aa", true, false, Arbitration},
	} {
		for range 2 {
			if got := Effect(c.roles[0], c.roles[1], c.keyed, c.result); got != c.want {
				t.Errorf("%s: %q, want %q", c.roles, got, c.want)
			}
			c.roles = c.roles[1:] + c.roles[:1]
		}
	}
}

// TestWhy has a line for each effect of two calls, whichever was made first.
func TestWhy(t *testing.T) {
	load, store := Method{"Load", Observer}, Method{"Store", Mutator}
	line := func(effect string, a, b Method, results bool) string {
		parts := Why(effect, a, b, results)
		return strings.Join(parts[:], "")
	}
	for _, c := range []struct{ got, want string }{
		{line(StaleRead, load, store, false),
			"Load sees the value from before or after Store, depending on which runs first"},
		{line(StaleRead, store, load, false), line(StaleRead, load, store, false)},
		{line(LostUpdate, store, store, false),
			"what stays depends on which Store runs last; the other's change is lost"},
		{line(LostUpdate, store, Method{"Clear", Mutator}, false), "what stays depends on " +
			"whether Store or Clear runs last; the other's change is lost"},
		{line(LostUpdate, store, store, true),
			"what Store returns depends on which of the calls runs first"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
	for _, effect := range Severity {
		if got := line(effect, load, store, false); (got == "") != (effect == DuplicateWork) {
			t.Errorf("%s: %q", effect, got)
		}
	}
	if !slices.Contains(Severity[:], OrderDependent) {
		t.Error("no order-dependent result")
	}
}
