// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package silence

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/report"
)

const file = `# known
legacy.go   # the old API; until 2026-12-31; owner alice
kind:data race && ^p.f$ && ^p.g$

^q.*Store$  # by design; see docs
`

// TestParse reads lines, and what is known of them.
func TestParse(t *testing.T) {
	f, err := Parse("known.txt", strings.ReplaceAll(file, "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range f.Lines {
		got = append(got, fmt.Sprintf("%d %q %q %q %s", l.Number, l.Text, l.Reason, l.Owner,
			l.Until.Format(time.DateOnly)))
	}
	want := []string{
		`2 "legacy.go" "the old API" "alice" 2026-12-31`,
		`3 "kind:data race && ^p.f$ && ^p.g$" "" "" 0001-01-01`,
		`5 "^q.*Store$" "by design; see docs" "" 0001-01-01`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestParseErrors has lines that say nothing.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb # x; until 2026-13-01\n": `x:2:4: "2026-13-01" is no date (write until 2026-12-31)`,
		"a && \n":                      "",
		"a\nb\xff # x\n":               "x:2:1: the line is no text in UTF-8",
		"a &&  && b\n":                 "x:1:3: there is no pattern beside &&",
	} {
		_, err := Parse("x", text)
		if want == "" && err != nil || want != "" && (err == nil ||
			!strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestExpired has a line that holds to the end of its last day.
func TestExpired(t *testing.T) {
	f, err := Parse("x", file)
	if err != nil {
		t.Fatal(err)
	}
	for date, want := range map[string]int{"2026-12-30": 1, "2026-12-31": 1, "2027-01-01": 0} {
		now, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(23 * time.Hour)
		if n := len(f.Match(now, []string{"/src/legacy.go"})); n != want {
			t.Errorf("%s: %d lines hold", date, n)
		}
		if has := strings.Contains(f.Rules(now), "legacy"); has != (want == 1) {
			t.Errorf("%s: programs get\n%s", date, f.Rules(now))
		}
	}
}

// TestAsEngine holds random patterns against random texts, and wants the watched program to find
// the same.
func TestAsEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func(letters string, n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	hits := 0
	for range 20000 {
		var patterns, texts []string
		for range 1 + r.IntN(3) {
			p := word("ab*", 3)
			if r.IntN(3) == 0 {
				p = "^" + p
			}
			if r.IntN(3) == 0 {
				p += "$"
			}
			patterns = append(patterns, p)
		}
		for range 1 + r.IntN(4) {
			texts = append(texts, word("ab", 4))
		}
		line := strings.Join(patterns, " && ")
		f, err := Parse("x", line)
		if err != nil {
			t.Fatal(err)
		}
		option.Current.SuppressionText = line
		option.SplitSuppressions()
		hit := option.About("kind:data race")
		for _, s := range texts {
			hit = option.Suppressed(s) || hit
		}
		want := f.Lines[0].Matches(append(texts, "kind:data race"))
		if hit != want || option.Suppressions[0].Used != want {
			t.Fatalf("%q, %q: %v in the program, %v here", line, texts, hit, want)
		}
		if want {
			hits++
		}
	}
	option.Reset()
	if hits < 2000 || hits > 18000 {
		t.Errorf("%d of 20000 match", hits)
	}
}

// findings are those of the reports of the engine's tests.
func findings(t *testing.T) (list []*report.Finding) {
	t.Helper()
	files, err := filepath.Glob("../engine/finding/testdata/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../verdict/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, report.Parse(text)...)
	}
	return append(list, &report.Finding{Check: "checkact", Kind: report.CheckThenActRace,
		Evidence: report.Static, Where: "/src/a.go:7:3"})
}

// TestUpdate writes a baseline for findings: each is matched by its line, a second update changes
// nothing, and what is gone is taken out where that is asked for.
func TestUpdate(t *testing.T) {
	list := findings(t)
	empty, err := Parse("x", "")
	if err != nil {
		t.Fatal(err)
	}
	keep := func(*Line) bool { return false }
	text, added, dropped := empty.Update(list, keep)
	if added < 20 || dropped != 0 {
		t.Errorf("%d are added, %d dropped", added, dropped)
	}
	f, err := Parse("x", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		if len(f.Match(time.Now(), Texts(x))) == 0 {
			t.Errorf("no line holds for %s\n%s", x.Headline, For(x))
		}
	}
	again, added, dropped := f.Update(list, keep)
	if again != text || added != 0 || dropped != 0 {
		t.Errorf("%d are added, %d dropped by a second update:\n%s", added, dropped, again)
	}
	one := list[:1]
	text, added, dropped = f.Update(one, func(l *Line) bool { return !l.Matches(Texts(one[0])) })
	if added != 0 || dropped < 20 || !strings.HasPrefix(text, "# Findings") {
		t.Errorf("%d are added, %d dropped; left is\n%s", added, dropped, text)
	}
	if f, err := Parse("x", file); err != nil {
		t.Fatal(err)
	} else if text, _, _ := f.Update(nil, keep); text != file {
		t.Errorf("what stays is changed:\n%s", text)
	}
}

// TestForOthers has a line that holds for one finding, and not for others.
func TestForOthers(t *testing.T) {
	list := findings(t)
	for _, x := range list {
		f, err := Parse("x", For(x))
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range list {
			if y.Kind != x.Kind && f.Lines[0].Matches(Texts(y)) {
				t.Errorf("the line %s holds for a %s", For(x), y.Kind)
			}
		}
	}
}

// FuzzParse wants no panic, and lines that are read again as they were.
func FuzzParse(f *testing.F) {
	f.Add(file)
	f.Add("a && b # until 2026-01-01; owner")
	f.Add("0\xff")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse("x", text)
		if err != nil {
			return
		}
		again, _, _ := a.Update(nil, func(*Line) bool { return false })
		b, err := Parse("x", again)
		if err != nil || len(a.Lines) != len(b.Lines) {
			t.Fatalf("%q was written again as %q: %v", text, again, err)
		}
		for i, l := range a.Lines {
			if l.String() != b.Lines[i].String() || !l.Until.Equal(b.Lines[i].Until) {
				t.Errorf("line %v was read again as %v", l, b.Lines[i])
			}
		}
	})
}
