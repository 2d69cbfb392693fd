// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// keptTouches are what the engine has of a test's registrations: the garbage collector doesn't see
// that.
var keptTouches []*compiled.SectionRegistration

// TestTouches has touches of two packages, and of one that the second imports.
func TestTouches(t *testing.T) {
	t.Cleanup(Reset)
	touch := func(file string, line int, name string) compiled.SectionTouch {
		return compiled.SectionTouch{Name: name, At: compiled.Line{File: file, Number: line}}
	}
	keptTouches = []*compiled.SectionRegistration{
		{Touches: []compiled.SectionTouch{touch("/p/a.go", 3, "A.n"), touch("/p/a.go", 4, "A.m")}},
		{Touches: []compiled.SectionTouch{touch("/q/a.go", 3, "B.n")},
			Imported: [][]compiled.SectionTouch{nil, {touch("/r/c.go", 9, "C.n")}}},
	}
	for _, r := range keptTouches {
		RegisterTouches(r)
	}
	for _, test := range []struct {
		file string
		line int
		name string
		want bool
	}{
		{"/p/a.go", 3, "A.n", true}, {"/p/a.go", 3, "A.m", false}, {"/p/a.go", 4, "A.m", true},
		{"/q/a.go", 3, "B.n", true}, {"/q/a.go", 3, "A.n", false}, {"/r/c.go", 9, "C.n", true},
		{"/p/a.go", 5, "A.m", false}, {"", 0, "", false},
	} {
		fr := host.Frame{File: test.file, Line: test.line}
		if got := Touches(fr, test.name); got != test.want {
			t.Errorf("%s:%d touches %s: %v", test.file, test.line, test.name, got)
		}
	}
	Reset()
	if Touches(host.Frame{File: "/p/a.go", Line: 3}, "A.n") {
		t.Error("nothing is registered")
	}
}
