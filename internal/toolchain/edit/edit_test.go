// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edit

import "testing"

func TestApply(t *testing.T) {
	const src = "abcdef"
	tests := []struct {
		edits []Edit
		want  string // "" means an error
	}{
		{nil, "abcdef"},
		{[]Edit{{3, 3, "X"}, {0, 1, "A"}, {6, 6, "!"}}, "AbcXdef!"},
		{[]Edit{{2, 2, "1"}, {2, 2, "2"}}, "ab12cdef"}, // in their order
		{[]Edit{{2, 4, "CD"}, {2, 2, "<"}}, "ab<CDef"}, // an insertion before what follows it
		{[]Edit{{1, 3, ""}, {3, 3, ">"}}, "a>def"},     // and after what ends there
		{[]Edit{{1, 3, ""}, {2, 4, ""}}, ""},           // overlap
		{[]Edit{{5, 7, ""}}, ""},                       // outside
		{[]Edit{{-1, 0, ""}}, ""},
		{[]Edit{{3, 2, ""}}, ""},
	}
	for _, test := range tests {
		got, err := Apply([]byte(src), test.edits)
		if test.want == "" && err == nil {
			t.Errorf("Apply(%v) = %q, want an error", test.edits, got)
		}
		if test.want != "" && (err != nil || string(got) != test.want) {
			t.Errorf("Apply(%v) = %q, %v, want %q", test.edits, got, err, test.want)
		}
	}
}

func TestWithLine(t *testing.T) {
	if got := string(WithLine("/a b.go", []byte("package p\n"))); got != "//line /a "+
		"b.go:1:1\npackage p\n" {
		t.Errorf("got %q", got)
	}
}
