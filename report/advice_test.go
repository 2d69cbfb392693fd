// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"reflect"
	"strings"
	"testing"
)

// TestAdvice wants the report of a trace to have the lines of the source, how to mend it and how to
// keep it silent, where a watched program has them, and to be read back so.
func TestAdvice(t *testing.T) {
	call := func(goroutine uint64, file string, line uint32) Event {
		return Event{Method: "Store", Did: "call of Store", Goroutine: goroutine,
			Stack: []Frame{{Func: "p.f", File: file, Line: line}}}
	}
	at, previous := call(7, "/p/long.go", 9), call(8, "/p/f.go", 10)
	said := Said{Mend: "wait", Silence: "//commute:ignore and why, at f.go:10",
		Source: []SourceLine{{"/p/f.go:10", "m.Store(k, 1)"}, {"/p/long.go:9", "m.Store(k, 2)..."}}}
	r := Finding{Kind: CommutativityRace, Recorded: true, At: at, Previous: &previous, Said: said,
		Evidence: Race, Object: &Object{Type: "p.Map", Address: "0x1"}, Effect: LostUpdate, Why: "x"}
	text := r.Text()
	for _, want := range []string{
		"  long.go:9  Store\n\n  f.go:10   | m.Store(k, 1)\n  long.go:9 | m.Store(k, 2)...\n\n" +
			"What can go wrong: lost update: x\n",
		"\nHow to mend it: wait\nHow to keep it silent: //commute:ignore and why, at f.go:10\n" +
			"More of it: commute explain lost-update\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.Describe()
	if r.Mend != said.Mend || r.Silence != said.Silence || !reflect.DeepEqual(r.Source, said.Source) {
		t.Errorf("read back as %+v, want %+v", r.Said, said)
	}
	r.Said = Said{}
	if text := r.Text(); strings.Contains(text, "How to") || strings.Contains(text, " | ") {
		t.Errorf("nothing is known, and it says\n%s", text)
	}
}
