// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package term

import (
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestSections has words for each shape, of effects that the summary can rank.
func TestSections(t *testing.T) {
	said := make(map[string]compiled.Shape)
	for s := compiled.LostUpdate; s <= compiled.Registered; s++ {
		if !slices.Contains(Severity[:], SectionEffect(s)) {
			t.Errorf("shape %d has the effect %q, which has no rank", s, SectionEffect(s))
		}
		why := WhySection(s, true)
		if other, ok := said[why]; ok {
			t.Errorf("shapes %d and %d both say %q", s, other, why)
		}
		said[why] = s
		if before, _ := MendSection(s, compiled.NotAtomic); before == "" {
			t.Errorf("it isn't said how to mend shape %d", s)
		}
		before, _ := MendSection(s, compiled.AtomicSigned)
		if s != compiled.DeletedAfter && !s.Linked() && !strings.Contains(before, "or hold a lock") {
			t.Errorf("it isn't said how to mend shape %d of atomics", s)
		}
	}
	if WhySection(compiled.LostUpdate, true) == WhySection(compiled.LostUpdate, false) {
		t.Error("who comes between makes no difference")
	}
}
