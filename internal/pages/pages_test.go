// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pages

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func all(t *testing.T) []*Page {
	t.Helper()
	list, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 14 {
		t.Fatalf("%d pages", len(list))
	}
	return list
}

// TestLinks has each link of a page lead to a file that is there, and to a heading of it.
func TestLinks(t *testing.T) {
	list := all(t)
	n := 0
	for _, p := range list {
		for _, l := range p.Links() {
			n++
			if why := broken(list, p, l.Target); why != "" {
				t.Errorf("%s:%d: %s: %s", p.Name, l.Line, l.Target, why)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d links", n)
	}
}

// broken says what is wrong with the target of a link, "" if nothing is.
func broken(list []*Page, from *Page, target string) string {
	file, anchor, hasAnchor := strings.Cut(target, "#")
	name := from.Name
	if file != "" {
		name = path.Join(path.Dir(from.Name), file)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
		return "no such file"
	}
	if !hasAnchor {
		return ""
	}
	i := slices.IndexFunc(list, func(p *Page) bool { return p.Name == name })
	if i < 0 {
		return "not a page"
	}
	if !slices.Contains(list[i].Anchors(), anchor) {
		return "no such heading"
	}
	return ""
}

// TestBroken has links that lead nowhere, and some that do.
func TestBroken(t *testing.T) {
	list := all(t)
	from := list[slices.IndexFunc(list, func(p *Page) bool { return p.Name == "docs/options.md" })]
	for target, want := range map[string]string{
		"../README.md": "", "#go-vet": "", "options.md#go-vet": "", "../specs": "",
		"README.md": "no such file", "options.md#x": "no such heading", "#x": "no such heading",
		"../go.mod#x": "not a page",
	} {
		if got := broken(list, from, target); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
}

// TestAnchors has headings that GitHub makes anchors of.
func TestAnchors(t *testing.T) {
	p := &Page{Lines: []string{"# A `go vet` (twice)", "## Same",
		"```", "# no heading", "```", "## Same"}}
	want := []string{"a-go-vet-twice", "same", "same-1"}
	if got := p.Anchors(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBlocks has the blocks of the pages, the oldest of which has a test of its own: those in no
// language name a command, those of a file are in that file, and other Go can be parsed.
func TestBlocks(t *testing.T) {
	files := 0
	for _, p := range all(t) {
		if p.Name == "docs/ecl.md" {
			continue // see ecl's TestDocs
		}
		if _, err := p.Samples(); err != nil {
			t.Error(err)
		}
		for _, b := range p.Blocks() {
			switch {
			case b.Lang != "" && b.Note != "":
				files++
				text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.Note)))
				if err != nil {
					t.Errorf("%s: %v", b.Place(), err)
				} else if !strings.Contains(string(text), b.Text()) {
					t.Errorf("%s: this is not in %s", b.Place(), b.Note)
				}
			case b.Lang == "go" && !parses(b.Text()):
				t.Errorf("%s: this is no Go", b.Place())
			}
		}
	}
	if files < 5 {
		t.Errorf("%d blocks of files", files)
	}
}

// parses reports whether a text is a part of a Go file.
func parses(text string) bool {
	for _, around := range [][2]string{{"package p\n", ""}, {"package p\nfunc _() {\n", "\n}\n"}} {
		_, err := parser.ParseFile(token.NewFileSet(), "x.go", around[0]+text+around[1],
			parser.ParseComments)
		if err == nil {
			return true
		}
	}
	return false
}

// TestShape has README.md short, and lines of prose narrow. Tables and samples have the width that
// they have.
func TestShape(t *testing.T) {
	for _, p := range all(t) {
		if p.Name == "README.md" && len(p.Lines) > 191 {
			t.Errorf("README.md has %d lines", len(p.Lines)-1)
		}
		if slices.Contains([]string{"docs/ecl.md"}, p.Name) {
			continue
		}
		p.Prose(func(number int, line string) {
			if strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, "|") &&
				p.Name != "README.md" {
				return
			}
			if n := len([]rune(line)); n > Width {
				t.Errorf("%s:%d: %d columns", p.Name, number, n)
			}
		})
	}
}

// TestMap has a word in docs/design.md on each folder with Go files.
func TestMap(t *testing.T) {
	p, err := Read(root, "docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(p.Lines, "\n")
	n := 0
	err = filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case rel == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata",
			rel == "examples/cache", rel == "examples/hosts", strings.HasPrefix(rel, "specs/"):
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(name, "*.go")); files == nil {
			return nil
		}
		n++
		parts := strings.Split(rel, "/")
		for i := range parts {
			if strings.Contains(text, "`"+strings.Join(parts[i:], "/")+"`") {
				return nil
			}
		}
		t.Errorf("docs/design.md doesn't say what %s is for", rel)
		return nil
	})
	if err != nil || n < 60 {
		t.Errorf("%d folders, %v", n, err)
	}
}

// TestFold has long lines folded and unfolded. What looks like the rest of a folded line is taken
// for that.
func TestFold(t *testing.T) {
	long := "Evidence: " + strings.Repeat("race ", 30) + "end\n"
	for _, text := range []string{long, "a\n  b\n\n" + long + "          c\n",
		strings.Repeat("x", 200) + "\n", ""} {
		got := Fold(text)
		for line := range strings.Lines(got) {
			if len(line) > Width+1 && strings.Contains(line, " ") {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
		if Unfold(got) != text && !strings.Contains(text, "          c") {
			t.Errorf("%q: back %q", got, Unfold(got))
		}
	}
}

// TestEdit leaves out parts of an output.
func TestEdit(t *testing.T) {
	const out = "==================\nWARNING\nf does it\n\n" +
		"Read by goroutine 7:\n  p.F()\n      p/f.go:3 +0x1f\n  sync.G()\n " +
		"     /go/src/sync/g.go:4\n\n" +
		"Goroutine 7 (running) created at:\n  p.H()\n      p/h.go:5\n\nKey: " +
		"1\n==================\n" +
		"--- FAIL: T (0.00s)\n    testing.go:1: race\nFAIL\nfound 1\n"
	for edits, want := range map[string]string{
		"report 1, no calls": "WARNING\nf does it\n\nKey: 1\n",
		"report 1, no origins, no library": "WARNING\nf does it\n\nRead by goroutine 7:\n " +
			" p.F()\n" +
			"      p/f.go:3 +0x1f\n\nKey: 1\n",
		"after reports, no test result": "found 1\n",
		"only found":                    "found 1\n",
		"from found":                    "found 1\n",
		"after reports, without test":   "--- FAIL: T (0.00s)\nFAIL\nfound 1\n",
		"report 2":                      "error",
		"from nothing":                  "error",
		"no such":                       "error",
	} {
		got, err := Edit(out, strings.Split(edits, ", "))
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", edits, got, want)
		}
	}
}
