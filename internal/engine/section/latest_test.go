// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestLatest has a function that acts by one helper after one look or after another.
func TestLatest(t *testing.T) {
	for _, c := range []struct {
		name   string
		latest bool
		looks  func(a *goroutine, get *compiled.SectionTouch, has func())
		want   []Evidence
	}{
		{"one look", true, func(a *goroutine, get *compiled.SectionTouch, has func()) {
			has()
		}, []Evidence{Observed}},
		{"looked again", true, func(a *goroutine, get *compiled.SectionTouch, has func()) {
			has()
			a.section(get, 1, 8, 1)
		}, nil},
		{"looked again, any act counts", false,
			func(a *goroutine, get *compiled.SectionTouch, has func()) {
				has()
				a.section(get, 1, 8, 1)
			}, []Evidence{Observed}},
		{"looked at another key", true,
			func(a *goroutine, get *compiled.SectionTouch, has func()) {
				has()
				a.section(get, 2, 8, 1)
			}, []Evidence{Observed}},
		{"looked before", true, func(a *goroutine, get *compiled.SectionTouch, has func()) {
			a.section(get, 1, 7, 1)
			has()
		}, []Evidence{Observed}},
		{"too much to remember", true, func(a *goroutine, get *compiled.SectionTouch, has func()) {
			has()
			for key := range uint64(maxLog + 1) {
				a.section(get, key+2, 8, 1)
			}
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript()
			defer s.finish()
			f, has, put := raise()
			f.Pairs[0].Latest = c.latest
			get := site(compiled.Lookup, "m")
			get.Hot.Store(1)
			s.register(f)
			a, b := s.start(nil), s.start(nil)
			a.enter(f)
			c.looks(a, get, func() {
				a.section(has, 1, 7, 1)
				b.section(put, 1, 8, 1)
			})
			a.section(put, 1, 9, 1)
			a.leave()
			if got := s.evidence(); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}
