// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package passon

import (
	"slices"
	"strings"
	"testing"
)

// TestOther has tools passed on, but for the compiler's, and what package toolexec is to read.
func TestOther(t *testing.T) {
	for line, want := range map[string]string{
		"commute": "", "commute toolexec": "", "commute test /a/asm": "",
		"commute toolexec /a/asm -x": "/a/asm -x", "commute toolexec -driven /a/vet": "/a/vet",
		"commute toolexec -driven": "", "commute toolexec -datarace /a/asm": "",
		"commute toolexec asm": "", "commute toolexec /a/compile -V=full": "",
		"commute toolexec /a/compile.exe": "", "commute toolexec -driven /a/compile -o x": "",
	} {
		if got := other(strings.Fields(line)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
