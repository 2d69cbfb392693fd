// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"
)

// TestLinked has makers and users of variables that belong together, wrong and right.
func TestLinked(t *testing.T) {
	for name, text := range linkedSources {
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
