// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/text"
)

// TestMessageKeepsItsTexts makes a message of a race with long values. The calls of the race are
// forgotten before its text is made, and others take the place of their values.
func TestMessageKeepsItsTexts(t *testing.T) {
	restore(t)
	key, was, is := strings.Repeat("key ", 30), strings.Repeat("was", 10), strings.Repeat("is", 50)
	var m *message
	collide := func(key, was, is string, f func(r *report.Race)) {
		t.Helper()
		first, second := fixture.CallOf(fixture.Store, key, was), fixture.CallOf(fixture.Store, key,
			is)
		if !makeRace(t, &logger{}, &logger{}, first, second, f) {
			t.Fatal("no race")
		}
	}
	collide(key, was, is, func(r *report.Race) {
		f := describe(r, "")
		m = messageOf(r, &f)
	})
	for range 100 {
		other := strings.Repeat("other", 20)
		collide(other, other[:30], other[1:], func(*report.Race) {})
	}
	b := text.Buffers.Get()
	defer text.Buffers.Put(b)
	b.Reset()
	m.race.PrintCall(b, m.race.First)
	m.race.PrintCall(b, m.race.Second)
	text := b.String()
	for _, want := range []string{
		`: "` + key[:40] + `"..."` + key[120-24:] + `" (120 bytes)`,
		`: "` + was + `"`,
		`: "` + is[:40] + `"..."` + is[100-24:] + `" (100 bytes)`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for i := range m.calls {
		m.calls[i].Drop()
	}
	messages.Put(m)
}
