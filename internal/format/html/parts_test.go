// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// TestMoved holds the events that are said to have moved against all choices of them: the others
// are in the same order in both, and no fewer would do.
func TestMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := r.IntN(9)
		was, now := r.Perm(n), r.Perm(n)
		stay := func(gone func(e int) bool) (a, b []int) {
			return slices.DeleteFunc(slices.Clone(was), gone), slices.DeleteFunc(slices.Clone(now), gone)
		}
		least := n
		for set := range 1 << n {
			a, b := stay(func(e int) bool { return set&(1<<e) != 0 })
			if slices.Equal(a, b) {
				least = min(least, bits.OnesCount(uint(set)))
			}
		}
		got := moved(was, now)
		a, b := stay(func(e int) bool { return slices.Contains(got, e) })
		if len(got) != least || !slices.Equal(a, b) {
			t.Fatalf("of %v and %v, %v have moved; %d would do", was, now, got, least)
		}
	}
}

// TestLinks holds the order that locks and go statements make against a search backwards.
func TestLinks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		d := &drawing{v: new(finding)}
		n := r.IntN(12)
		for range n {
			lane := r.IntN(3)
			e := &report.Event{Thread: fmt.Sprintf("T%d", lane), Target: fmt.Sprintf("L%d", r.IntN(2)),
				Op: []string{"acquire", "release", "read"}[r.IntN(3)]}
			d.v.Events = append(d.v.Events, event{Lane: lane})
			d.from = append(d.from, e)
		}
		list := r.Perm(n)
		var want [][2]int
		for at, i := range list {
			for k := at - 1; k >= 0 && d.from[i].Op == "acquire"; k-- {
				before := d.from[list[k]]
				if before.Target != d.from[i].Target || before.Op == "read" {
					continue
				}
				if before.Op == "release" && before.Thread != d.from[i].Thread {
					want = append(want, [2]int{list[k], i})
				}
				break
			}
		}
		if got := d.links(list); !slices.Equal(got, want) {
			t.Fatalf("links %v, want %v", got, want)
		}
	}
}

// TestDiff holds the difference of edits against the file that they make.
func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		var before strings.Builder
		for range r.IntN(12) {
			fmt.Fprintf(&before, "%s\n", strings.Repeat("x", r.IntN(4)))
		}
		text := before.String()
		var edits []report.Edit
		after, done := "", 0
		for at := r.IntN(4); at <= len(text) && len(text) > 0; {
			end := min(len(text), at+r.IntN(6))
			e := report.Edit{File: "a.go", Start: at, End: end,
				New: []string{"", "y", "y\n", "\n"}[r.IntN(4)]}
			edits = append(edits, e)
			after += text[done:at] + e.New
			done = end
			at = end + 1 + r.IntN(8)
		}
		after += text[done:]
		m := newMaker(&sources{files: map[string][]string{"a.go": splitLines(text)}})
		if text == "" {
			m.src.files["a.go"] = nil
		}
		got := m.fix(report.Fix{Edits: edits}).Diff
		if made := patched(t, text, got); strings.TrimSuffix(made, "\n") != strings.TrimSuffix(after, "\n") {
			t.Fatalf("%q with %v makes %q, by the difference %q: %q", text, edits, after, made, got)
		}
	}
}

// patched is a text with a difference done to it.
func patched(t *testing.T, text string, diff []string) string {
	t.Helper()
	lines, made, at := splitLines(text), []string(nil), 0
	for _, l := range diff {
		rest := l[1:]
		switch l[0] {
		case '@':
			_, n, ok := splitPlace(rest)
			if !ok {
				t.Fatalf("%q", l)
			}
			for ; at < n-1 && at < len(lines); at++ {
				made = append(made, lines[at])
			}
		case '+':
			made = append(made, rest)
		default:
			if at >= len(lines) || lines[at] != rest {
				t.Fatalf("line %d of %q isn't %q", at+1, text, rest)
			}
			if l[0] == ' ' {
				made = append(made, rest)
			}
			at++
		}
	}
	return strings.Join(append(made, lines[at:]...), "\n") + "\n"
}

// TestSources has files read as they are looked for, once, and no other than of Go.
func TestSources(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n", "a.go": "one\r\ntwo\n",
		"sub/b.go": "b", "sub/secret": "s"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "sub"))
	s := newSources(location.At(root))
	reads := 0
	s.read = func(name string) ([]byte, error) {
		reads++
		return readSource(name)
	}
	for range 2 {
		if got := s.lines("a.go"); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("a.go has %q", got)
		}
		if got := s.lines(filepath.Join(s.dir, "b.go")); !slices.Equal(got, []string{"b"}) {
			t.Errorf("b.go has %q", got)
		}
		if got := s.lines("m/a.go"); len(got) != 2 {
			t.Errorf("m/a.go has %q", got)
		}
		for _, name := range []string{"secret", "../go.mod", "none.go", ".go", root} {
			if got := s.lines(name); got != nil {
				t.Errorf("%s has %q", name, got)
			}
		}
	}
	if reads > 16 {
		t.Errorf("%d reads", reads)
	}
	for at, want := range map[string]string{filepath.Join(s.dir, "b.go") + ":3": "sub/b.go:3", "m/a.go:2": "a.go:2",
		filepath.Join(root, "a.go") + ":3:7": "a.go:3", "/else/c.go:1": "/else/c.go:1",
		"a sentence": "a sentence"} {
		if got := s.shortPlace(at); got != want {
			t.Errorf("%s is %s, want %s", at, got, want)
		}
	}
}

// TestShortWords leaves packages' paths out, and no other words.
func TestShortWords(t *testing.T) {
	for text, want := range map[string]string{
		"github.com/a/b.(*T).Get checks":        "b.(*T).Get checks",
		"marked as atomic at /tmp/x y/a/b.go:3": "marked as atomic at /tmp/x b.go:3",
		"(specs/sync/map.ecl:5)":                "(map.ecl:5)",
		"a read and/or a write.":                "a read and/or a write.",
		`Load("a/b") = nil`:                     `Load("a/b") = nil`,
		"sync.Map":                              "sync.Map",
		"//commute:ignore and why, at a.go:3":   "//commute:ignore and why, at a.go:3",
	} {
		if got := shortWords(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestExcerpts has the lines that a finding is about in its excerpts, and the lines around.
func TestExcerpts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		lines := make([]string, 1+r.IntN(60))
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d", i+1)
		}
		f := &report.Finding{}
		for range 1 + r.IntN(6) {
			f.Steps = append(f.Steps, report.Step{At: fmt.Sprintf("a.go:%d", 1+r.IntN(len(lines)))})
		}
		m := newMaker(&sources{files: map[string][]string{"a.go": lines}})
		var v finding
		m.source(&v, f)
		shown := make(map[int]bool)
		for _, x := range v.Source {
			e := m.out.Excerpts[x.Excerpt]
			if !slices.Equal(e.Text, lines[e.First-1:e.First-1+len(e.Text)]) {
				t.Fatalf("from %d: %q", e.First, e.Text)
			}
			for i := range e.Text {
				if n := e.First + i; shown[n] {
					t.Fatalf("line %d is there twice", n)
				} else {
					shown[n] = true
				}
			}
		}
		for _, s := range f.Steps {
			_, n, _ := splitPlace(s.At)
			for k := max(1, n-around); k <= min(len(lines), n+around); k++ {
				if !shown[k] {
					t.Fatalf("line %d is not shown, of %+v", k, f.Steps)
				}
			}
		}
	}
}
