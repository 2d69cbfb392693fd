// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"
)

// TestRules has, for each rule, right code that it leaves out, and a wrong twin that it doesn't.
func TestRules(t *testing.T) {
	covered := make(map[string]bool)
	for _, c := range slices.Concat(ruleSources, atomicRuleSources, ownSources) {
		t.Run(c.rule, func(t *testing.T) {
			pkg := source(t, preamble+c.right)
			p, err := build(pkg)
			if err != nil {
				t.Fatal(err)
			}
			got, want := pairsOf(pkg, p.result()), wanted(preamble+c.right)
			if !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q in right code\n%s", got, want, c.right)
			}
			if p.excluded[c.rule] == 0 {
				t.Errorf("rules %v, want %q\n%s", p.excluded, c.rule, c.right)
			}
			covered[c.rule] = true
			pkg = source(t, preamble+c.wrong)
			got, want = pairsOf(pkg, Find(pkg, nil)), wanted(preamble+c.wrong)
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q\n%s", got, want, c.wrong)
			}
		})
	}
	for _, r := range rules() {
		if !covered[r.name] {
			t.Errorf("no test of rule %q", r.name)
		}
	}
}
