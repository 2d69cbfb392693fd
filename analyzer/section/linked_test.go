// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"
)

// TestLinked has makers and users of variables that belong together, wrong and right.
func TestLinked(t *testing.T) {
	for _, sources := range []map[string]string{linkedSources, entrySources} {
		for name, text := range sources {
			t.Run(name, func(t *testing.T) { wantPairs(t, text) })
		}
	}
}

// wantPairs wants the pairs that the comments of a source tell.
func wantPairs(t *testing.T, text string) {
	text = "package p\n\nimport \"sync\"\n" + text
	pkg := source(t, text)
	r := Find(pkg, nil)
	checkResult(t, pkg, r)
	got, want := pairsOf(pkg, r), wanted(text)
	if !slices.Equal(got, want) {
		t.Errorf("pairs %q, want %q\n%s", got, want, text)
	}
}
