// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"testing"

	rewrite "github.com/commutego/commute/internal/rewrite/section"
	"github.com/commutego/commute/internal/toolchain/command"
)

// TestFactsIn reads what stands between the marks in an archive.
func TestFactsIn(t *testing.T) {
	const begin, end = rewrite.FactsBegin, rewrite.FactsEnd
	for archive, want := range map[string]string{
		"": "", "\x00x" + begin + "H4sI" + end + "more": "H4sI", begin + "cut off": "",
	} {
		if got := factsIn([]byte(archive)); string(got) != want {
			t.Errorf("%q has %q, want %q", archive, got, want)
		}
	}
}

// TestImportPath has the path of the package from what the go command says, and not from what the
// compiler calls it.
func TestImportPath(t *testing.T) {
	for _, test := range [...][3]string{
		{"main", "short/cmd", "short/cmd"},
		{"short", "short [short.test]", "short"},
		{"short_test", "short_test [short.test]", "short"},
		{"short/store", "short/store [short.test]", "short"},
		{"short/store", "", "short/store"},
	} {
		t.Setenv("TOOLEXEC_IMPORTPATH", test[1])
		u := &unit{Compile: &command.Compile{Package: test[0]}}
		if got := u.importPath(); got != test[2] {
			t.Errorf("%s, %q: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}
