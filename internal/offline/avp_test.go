// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"slices"
	"strings"
	"testing"
)

// TestAVP has check avp find in a recorded trace what the predictions find, and the order in which
// it found it.
func TestAVP(t *testing.T) {
	text := predictedTrace(t)
	checks, err := Named([]string{"avp"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		text string
		o    Options
		want []string
	}{
		{"all", text, Options{All: true},
			[]string{"avp Close observed", "avp Deposit predicted"}},
		{"the first", text, Options{}, []string{"avp Close observed"}},
		{"suppressed", text, Options{All: true, Rules: ParseRules("*Withdraw")}, nil},
		{"a lock of another package", strings.ReplaceAll(text, "what=36 value=4", "what=36 value=0"),
			Options{All: true}, []string{"avp Close observed"}},
		{"an attempt that fails", strings.Replace(text, "Value what=35 value=0 pos=3",
			"Value what=37 value=0 pos=3\nValue what=35 value=0 pos=3", 2), Options{All: true},
			[]string{"avp Close observed"}},
		{"without locks", strings.Replace(text, "Meta key=\"locks\" value=\"all\"\n", "", 1),
			Options{All: true}, []string{"avp has no data"}},
	} {
		c.o.Checks = checks
		got := foundIn(t, c.text, c.o)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
