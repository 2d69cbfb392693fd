// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commutetest

import (
	"fmt"
	"testing"
)

// TB is what the types of package testing are.
var _ = []TB{(*testing.T)(nil), (*testing.B)(nil), (*testing.F)(nil), testing.TB(nil)}

// A record is a TB that keeps what it is told.
type record struct{ helpers, errors []string }

func (r *record) Helper() { r.helpers = append(r.helpers, "Helper") }
func (r *record) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestPlain has the functions call what they are given, once, and say nothing.
func TestPlain(t *testing.T) {
	if Enabled() {
		t.Skip("commute watches")
	}
	var r record
	n := 0
	count := func() { n++ }
	for _, kind := range []Kind{CommutativityRace, CheckThenActRace, DataRace, AtomicityViolation} {
		Expect(&r, kind, count)
	}
	Atomic(count)
	Ignore(count)
	Ignore(func() { Atomic(func() { Expect(&r, DataRace, count) }) })
	if n != 7 || r.errors != nil {
		t.Errorf("%d calls of 7, and %q", n, r.errors)
	}
	Expect(&r, "deadlock", count)
	want := `commutetest: there is no kind of finding that is called "deadlock"`
	if n != 8 || len(r.errors) != 1 || r.errors[0] != want {
		t.Errorf("%d calls of 8, and %q, want %q", n, r.errors, want)
	}
}

// TestPanics has a panic pass through.
func TestPanics(t *testing.T) {
	for _, call := range []func(f func()){
		func(f func()) { Expect(t, DataRace, f) }, Atomic, Ignore,
	} {
		func() {
			defer func() {
				if got := recover(); got != "so" {
					t.Errorf("recovered %v", got)
				}
			}()
			call(func() { panic("so") })
		}()
	}
}

// BenchmarkPlain has what the functions cost.
func BenchmarkPlain(b *testing.B) {
	n := 0
	for _, c := range []struct {
		name string
		call func(f func())
	}{
		{"Atomic", Atomic}, {"Ignore", Ignore},
		{"Expect", func(f func()) { Expect(b, DataRace, f) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.call(func() { n++ })
			}
		})
	}
}
