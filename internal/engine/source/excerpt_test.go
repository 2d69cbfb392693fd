// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	clean(t)
	path := filepath.Join(t.TempDir(), "a.go")
	long := strings.Repeat("x", maxCode-1) + "ö" + "y"
	content := "package a\n\n\tif a { \r\n" + long + "\nlast"
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path string
		line int
		code string
		cut  bool
	}{
		{path, 1, "package a", false},
		{path, 2, "", false},
		{path, 3, "if a {", false},
		{path, 4, long[:maxCode-1], true},
		{path, 5, "last", false},
		{path, 6, "", false},
		{path, 0, "package a", false},
		{path + "x", 1, "", false},
		{"excerpt_test.go", 1, "", false}, // whose it is isn't known
		{"", 1, "", false},
	} {
		if code, cut := Code(test.path, test.line); code != test.code || cut != test.cut {
			t.Errorf("line %d of %s: %q, %v, want %q, %v", test.line, test.path, code, cut,
				test.code, test.cut)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if code, _ := Code(path, 1); code != "package a" {
		t.Errorf("%q: the file was read again", code)
	}
	n, bytes := sourceFiles.n, sourceFiles.bytes
	if got := keepText(path, "read at once"); got != content || sourceFiles.n != n ||
		sourceFiles.bytes != bytes {
		t.Errorf("what another caller has read at once is kept: %q", got)
	}
}
