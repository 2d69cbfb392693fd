// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"maps"
	"slices"
	"testing"
)

// TestLinked has makers and users of variables that belong together, wrong and right.
func TestLinked(t *testing.T) {
	sources := maps.Clone(linkedSources)
	maps.Copy(sources, entrySources)
	for name, text := range sources {
		t.Run(name, func(t *testing.T) {
			text := "package p\n\nimport \"sync\"\n" + text
			pkg := source(t, text)
			r := Find(pkg, nil)
			checkResult(t, pkg, r)
			got, want := pairsOf(pkg, r), wanted(text)
			if !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q\n%s", got, want, text)
			}
		})
	}
}
