// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"testing"
)

func TestBase(t *testing.T) {
	for file, want := range map[string]string{
		"/a/b.go": "b.go", `C:\a\b.go`: "b.go", "C:/a/b.go": "b.go", "b.go": "b.go", "a/": "",
		"": "",
	} {
		if got := Base(file); got != want {
			t.Errorf("base(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for s, want := range map[string]int{"0": 0, "7": 7, "007": 7, "16777216": 1 << 24, "": -1,
		"-1": -1, "1 ": -1, "99999999999": -1} {
		n, ok := Number(s)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("number(%q) = %d, %v", s, n, ok)
		}
	}
}
