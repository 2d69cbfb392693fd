// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package target

import "testing"

func TestMatch(t *testing.T) {
	linux := Platform{"linux", "386"}
	tests := []struct {
		name, src string
		want      bool
	}{
		{"a.go", "package p", true},
		{"a_linux.go", "package p", true},
		{"a_windows.go", "package p", false},
		{"a_amd64.go", "package p", false},
		{"a.go", "//go:build own\n\npackage p", true},
		{"a.go", "//go:build !own\n\npackage p", false},
		{"a.go", "//go:build own && unix\n\npackage p", true},
		{"a.go", "//go:build own && !unix\n\npackage p", false},
		{"a.go", "//go:build cgo\n\npackage p", false},
		{"a.go", "//go:build race\n\npackage p", false},
		{"a.go", "//go:build go1.26\n\npackage p", true},
	}
	for _, test := range tests {
		got, err := linux.Match(test.name, []byte(test.src), "own")
		if err != nil || got != test.want {
			t.Errorf("%s, %q: %v, %v", test.name, test.src, got, err)
		}
	}
}

func TestCurrent(t *testing.T) {
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "")
	if p := Current(); p.GOOS != "plan9" || p.GOARCH == "" {
		t.Errorf("Current() = %v", p)
	}
}
