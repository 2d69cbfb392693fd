// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

func TestSilence(t *testing.T) {
	frame := func(file string, line int) host.Frame {
		return host.Frame{Func: "m.commute_F", File: file, Line: line}
	}
	for _, test := range []struct {
		first, second host.Frame
		declared      string
		want          string
	}{
		{frame("/a/a.go", 3), frame("/a/b.go", 4), "/a/c.go:5", "//commute:ignore and why, at a.go:3 " +
			"or b.go:4; or //commute:concurrent and why, at c.go:5"},
		{frame("/a/a.go", 3), frame("/a/a.go", 3), "", "//commute:ignore and why, at a.go:3"},
		{frame("/a/a.go", 3), frame("/a/a.go", 3), "/go/pkg/mod/m@v1/m.go:1",
			"//commute:ignore and why, at a.go:3"},
		{frame("/go/pkg/mod/m@v1/m.go", 3), frame("/a/a.go", 3), "",
			"-suppressions=FILE, with the line ^m.F$"},
	} {
		b := new(text.Buffer)
		Silence(b, test.first, test.second, test.declared)
		if got := b.String(); got != test.want {
			t.Errorf("%s, %s, %s: %q, want %q", test.first.File, test.second.File, test.declared,
				got, test.want)
		}
	}
}

// An excerpt has each line once, in the order of the files' lines.
func TestExcerpt(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "bcd.go")
	for path, content := range map[string]string{a: "1\n2\n\n4\n", b: "x\n\ty\n"} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var x Excerpt
	for _, l := range []sourceLine{{file: a, line: 4}, {file: b, line: 2}, {file: a, line: 1},
		{file: a, line: 4}, {file: a, line: 3}, {file: a, line: 2}, {file: b, line: 1},
		{file: dir + "/no.go", line: 1}} {
		x.Add(l.file, l.line)
	}
	got := new(text.Buffer)
	x.Print(got)
	const want = "  a.go:1   | 1\n  a.go:2   | 2\n  a.go:4   | 4\n" +
		"  bcd.go:1 | x\n  bcd.go:2 | y\n\n"
	if got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
	var none Excerpt
	got.Reset()
	if none.Print(got); got.N != 0 {
		t.Errorf("no lines: %q", got.String())
	}
}

// Where a check and an act are on one line, that line is named once.
func TestMendOneLine(t *testing.T) {
	table := new(commrace.Table)
	table.Methods[0].Name = "Store"
	from := compiled.Line{File: "/a/a.go", Number: 3}
	for to, extent := range map[int]string{
		3: "throughout a.go:3",
		5: "from a.go:3 to a.go:5",
	} {
		to := compiled.Line{File: "/a/a.go", Number: to}
		b := new(text.Buffer)
		MendSections(b, "hold the lock ", from, to, ", or else")
		if got, want := b.String(), "hold the lock "+extent+", or else"; got != want {
			t.Errorf("sections: %q, want %q", got, want)
		}
		b.Reset()
		c := Calls{Table: table, From: FrameOf(from), To: FrameOf(to),
			Violation: commrace.SymmetricCheck}
		c.mendCheckAct(b)
		if got, want := b.String(), "hold one lock "+extent; got != want {
			t.Errorf("calls: %q, want %q", got, want)
		}
	}
}
