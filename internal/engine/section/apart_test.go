// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestApart asks at a channel, of which nothing is known, or at a lock, whether an event there has
// nothing to do with critical sections.
func TestApart(t *testing.T) {
	f, get, put := raise()
	operation := site(compiled.WriteVar, "n")
	for name, c := range map[string]struct {
		before func(g, other *goroutine)
		at     uintptr
		want   bool
	}{
		"a channel": {func(_, _ *goroutine) {}, chanel, true},
		"another's section": {func(_, other *goroutine) {
			other.lock(complete, mutex)
		}, chanel, true},
		"after a section": {func(g, _ *goroutine) {
			g.section(put, 1, 7, 1)
		}, chanel, true},
		"after an activation": {func(g, _ *goroutine) {
			g.enter(f)
			g.section(get, 1, 7, 1)
			g.leave()
		}, chanel, true},
		"another's lock": {func(_, other *goroutine) {
			other.section(put, 1, 7, 1)
		}, mutex, false},
		"about to lock": {func(g, _ *goroutine) {
			g.Locking(complete, mutex, g)
		}, mutex, false},
		"in a section": {func(g, _ *goroutine) {
			g.lock(complete, mutex)
		}, chanel, false},
		"in an activation": {func(g, _ *goroutine) {
			g.enter(f)
		}, chanel, false},
		"about to make an operation": {func(g, _ *goroutine) {
			g.Announce(operation, object, 8, g)
		}, object, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			defer s.finish()
			s.register(f)
			g, other := s.start(nil), s.start(nil)
			c.before(g, other)
			if got := Apart(&g.Thread, c.at); got != c.want {
				t.Errorf("apart: %v, want %v", got, c.want)
			}
		})
	}
}
