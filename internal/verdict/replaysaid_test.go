// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// said is what reports of findings of calls and critical sections say beside what was found, by the
// lines that findings are compared by.
type said map[string][]string

// add adds the parts of a report, as [report.Parse] has them. A race may be found the other way
// round, so the places of a line count in any order; and of two parameters for one object, that of
// either call is its declaration.
func (s said) add(line string, f *report.Finding) {
	silence := f.Silence
	if o := f.Object; o != nil && o.DeclaredAt != "" {
		silence = strings.Replace(silence, "//commute:concurrent and why, at "+
			filepath.Base(o.DeclaredAt), "//commute:concurrent and why, where it is declared", 1)
	}
	words := strings.Fields(strings.NewReplacer(",", " ", ";", " ").Replace(silence))
	slices.Sort(words)
	parts := []string{"mend: " + f.Mend, "silence: " + strings.Join(words, " "), "page: " + f.Page}
	for _, l := range f.Source {
		parts = append(parts, filepath.Base(l.At)+" | "+l.Text)
	}
	s[line] = unique(append(s[line], strings.Join(parts, "\n\t")))
}

// saidByRun is what the reports of a run say.
func saidByRun(out string) said {
	s := make(said)
	for _, f := range report.Parse([]byte(out)) {
		for _, line := range append(reportedCalls(f.Report), reportedSections(f.Report)...) {
			s.add(line, f)
		}
	}
	return s
}

// saidOf is what the report of the analysis says of a finding.
func saidOf(s said, line string, f *report.Finding) {
	for _, parsed := range report.Parse([]byte(f.Text())) {
		s.add(line, parsed)
	}
}

// differ are the findings of which two lists of reports say something else, with what both say.
func (s said) differ(other said) (list []string) {
	for line, mine := range s {
		if theirs := other[line]; theirs != nil && !slices.Equal(mine, theirs) {
			list = append(list, line+"\n\tthe run says\n\t"+strings.Join(mine, "\n\t")+
				"\n\tthe analysis says\n\t"+strings.Join(theirs, "\n\t"))
		}
	}
	return list
}

// TestSaidDiffers has two reports of one finding that say the same, and others that don't.
func TestSaidDiffers(t *testing.T) {
	f := report.Finding{Said: report.Said{Mend: "wait", Page: "lost-update",
		Silence: "//commute:ignore and why, at a.go:1 or b.go:2",
		Source:  []report.SourceLine{{At: "/x/a.go:1", Text: "f()"}}}}
	one := func(change func(f *report.Finding)) said {
		s, g := make(said), f
		g.Source = slices.Clone(f.Source)
		change(&g)
		s.add("race", &g)
		return s
	}
	whole := one(func(*report.Finding) {})
	for name, c := range map[string]struct {
		change func(f *report.Finding)
		want   int
	}{
		"order": {func(f *report.Finding) {
			f.Silence = "//commute:ignore and why, at b.go:2 or a.go:1"
		}, 0},
		"folder":  {func(f *report.Finding) { f.Source[0].At = "a.go:1" }, 0},
		"mend":    {func(f *report.Finding) { f.Mend = "" }, 1},
		"page":    {func(f *report.Finding) { f.Page = "stale-read" }, 1},
		"silence": {func(f *report.Finding) { f.Silence = "//commute:ignore and why, at a.go:1" }, 1},
		"source":  {func(f *report.Finding) { f.Source[0].Text = "g()" }, 1},
		"none":    {func(f *report.Finding) { f.Source = nil }, 1},
	} {
		if got := whole.differ(one(c.change)); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
