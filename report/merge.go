// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"cmp"
	"slices"
)

// Merge merges findings of several packages and processes. Of the findings with one fingerprint, it
// keeps the one with the best evidence, with the tests of all. The result is sorted by evidence,
// then by severity, and then by place. Merge changes the findings.
func Merge(list []*Finding) (merged []*Finding) {
	known := make(map[string]*Finding)
	for _, f := range list {
		key := f.Fingerprint()
		old := known[key]
		if old == nil {
			known[key] = f
			merged = append(merged, f)
			continue
		}
		tests, times := old.Tests, old.Times+f.Times
		for _, t := range f.Tests {
			if !slices.Contains(tests, t) {
				tests = append(tests, t)
			}
		}
		if f.Evidence.rank() < old.Evidence.rank() {
			*old = *f
		}
		old.Tests, old.Times = tests, times
	}
	slices.SortStableFunc(merged, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.Evidence.rank(), b.Evidence.rank()),
			cmp.Compare(a.Effect.Severity(), b.Effect.Severity()),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Where, b.Where))
	})
	return merged
}

// rank is how good an evidence is: 0 is the best.
func (e Evidence) rank() int {
	order := []Evidence{Observed, Predicted, Race, Potential, Static}
	if i := slices.Index(order, e); i >= 0 {
		return i
	}
	return len(order)
}
