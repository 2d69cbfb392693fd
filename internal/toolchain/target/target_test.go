// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package target

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	linux := Platform{GOOS: "linux", GOARCH: "386"}
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

// TestDeadlocks compares with the ports on which Go's runtime has frame pointers.
func TestDeadlocks(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src/runtime/runtime2.go"))
	if err != nil {
		t.Fatal(err)
	}
	const enabled = "const framepointer_enabled = GOARCH == \"amd64\" || GOARCH == \"arm64\"\n"
	if !strings.Contains(string(data), enabled) {
		t.Errorf("runtime2.go does not have %q", enabled)
	}
	for arch, want := range map[string]bool{"amd64": true, "arm64": true, "386": false,
		"wasm": false, "riscv64": false} {
		if got := (Platform{GOOS: "linux", GOARCH: arch}).Deadlocks(); got != want {
			t.Errorf("%s: %v", arch, got)
		}
	}
}

func TestCurrent(t *testing.T) {
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "")
	if p := Current("go1.27.4"); p.GOOS != "plan9" || p.GOARCH == "" || p.Release != "go1.27.4" {
		t.Errorf("Current() = %v", p)
	}
}

// TestRelease has files that are for the release that compiles, whatever built this test.
func TestRelease(t *testing.T) {
	for release, want := range map[string]bool{"go1.26.8": false, "go1.27": true, "go1.27.4": true,
		"go1.99.1": true} {
		p := Platform{GOOS: "linux", GOARCH: "amd64", Release: release}
		for src, want := range map[string]bool{"//go:build go1.27\n\npackage a\n": want,
			"//go:build !go1.27\n\npackage a\n": !want} {
			if got, err := p.Match("a.go", []byte(src)); err != nil || got != want {
				t.Errorf("%s, %q: %v, %v", release, src, got, err)
			}
		}
	}
}
