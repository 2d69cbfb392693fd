// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// A maker makes the data of a page, with its tables.
type maker struct {
	src      *sources
	out      *page
	frames   map[report.Frame]int
	stacks   map[string]int
	excerpts map[string]int
	lines    map[string]int
}

func newMaker(src *sources) *maker {
	return &maker{src: src, out: &page{}, frames: make(map[report.Frame]int),
		stacks: make(map[string]int), excerpts: make(map[string]int), lines: make(map[string]int)}
}

func (m *maker) page(run *report.Run) *page {
	m.out.Command = strings.Join(run.Command, " ")
	m.out.Findings = make([]finding, 0, len(run.Findings))
	for _, f := range run.Findings {
		m.out.Findings = append(m.out.Findings, m.finding(f))
	}
	for i := range run.Failures {
		m.out.Findings = append(m.out.Findings, m.failure(&run.Failures[i]))
	}
	return m.out
}

// failure makes what is shown of a failure of an explored test in which nothing was found.
func (m *maker) failure(f *report.Failure) finding {
	id := sha256.Sum256([]byte(f.Package + "\n" + f.Schedule.Test + "\n" + f.Why))
	v := finding{
		ID:       hex.EncodeToString(id[:8]),
		Kind:     "failed test",
		Evidence: string(report.Observed),
		Package:  f.Package,
		Decl:     f.Schedule.Test,
		Headline: f.Schedule.Test + ": " + f.Why,
		Because:  "the test was run by this schedule, and failed",
		Explored: []explored{schedule(&f.Schedule)},
	}
	m.text(&v, f.Output)
	return v
}

// text adds the lines of a report.
func (m *maker) text(v *finding, text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		v.Report = append(v.Report, intern(m.lines, &m.out.Lines, line))
	}
}

// finding makes what is shown of one.
func (m *maker) finding(f *report.Finding) finding {
	v := finding{
		ID:       f.Fingerprint(),
		Kind:     string(f.Kind),
		Evidence: string(f.Evidence),
		Effect:   string(f.Effect),
		Package:  packageOf(f),
		Headline: headline(f),
		Place:    m.place(f),
		Harm:     harm(f),
		Because:  because(f),
		Mend:     shortWords(mend(f)),
		Silence:  shortWords(f.Silence),
		Page:     helpPage(f),
	}
	v.Decl, v.DeclAt = m.declaration(f)
	v.Facts = m.facts(f)
	m.charts(&v, f)
	for i := range f.Schedules {
		v.Explored = append(v.Explored, schedule(&f.Schedules[i]))
	}
	m.source(&v, f)
	for _, x := range f.Fixes {
		v.Fixes = append(v.Fixes, m.fix(x))
	}
	m.text(&v, reportText(f))
	return v
}

// intern is the index of a value in a table, which it joins if it is new.
func intern[V comparable](known map[V]int, table *[]V, v V) int {
	i, ok := known[v]
	if !ok {
		i = len(*table)
		known[v] = i
		*table = append(*table, v)
	}
	return i
}

// stack is the index of a stack, and 1; 0 if it is empty.
func (m *maker) stack(stack []report.Frame) int {
	if len(stack) == 0 {
		return 0
	}
	list := make([]int, len(stack))
	for i, f := range stack {
		n, ok := m.frames[f]
		if !ok {
			n = len(m.out.Frames)
			m.frames[f] = n
			m.out.Frames = append(m.out.Frames, frame{Func: f.Func, Library: library(f.Func),
				Place: fmt.Sprintf("%s:%d", m.src.short(f.File), f.Line)})
		}
		list[i] = n
	}
	key := fmt.Sprint(list)
	n, ok := m.stacks[key]
	if !ok {
		n = len(m.out.Stacks)
		m.stacks[key] = n
		m.out.Stacks = append(m.out.Stacks, list)
	}
	return n + 1
}

// library reports whether a function is one of Go's own, which the program or its tests use.
func library(name string) bool {
	for _, prefix := range []string{"sync.", "sync/", "internal/", "runtime.", "testing."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// own is the innermost frame of a stack that is the program's, nil if there is none.
func own(stack []report.Frame) *report.Frame {
	for i := range stack {
		if !library(stack[i].Func) {
			return &stack[i]
		}
	}
	return nil
}

// packageOf is the package that a finding is in: the one that was tested, or else the one of the
// function where it is.
func packageOf(f *report.Finding) string {
	if f.Package != "" {
		return f.Package
	}
	for _, e := range f.Events() {
		if o := own(e.Stack); o != nil {
			return packagePath(o.Func)
		}
	}
	if len(f.Transactions) > 0 && f.Transactions[0].Name != "" {
		return packagePath(f.Transactions[0].Name)
	}
	return ""
}

// packagePath is the package of a function: "a.com/b" of "a.com/b.(*T).M".
func packagePath(name string) string {
	dir, base := path.Split(name)
	base, _, _ = strings.Cut(base, ".")
	return dir + base
}

// longName is a package's path before a name in it, or a folder before a file.
var longName = regexp.MustCompile(`(^|[\s("'` + "`" + `*])(?:/|(?:[\w.~@-]+/)+)(?:[\w.~@-]+/)*([\w-]+\.[\w(*])`)

// shortWords is text without the packages' paths before names, and without folders before files.
func shortWords(text string) string { return longName.ReplaceAllString(text, "$1$2") }

// place is where the finding is in the program, or in the trace.
func (m *maker) place(f *report.Finding) string {
	for _, e := range f.Events() {
		if o := own(e.Stack); o != nil {
			return fmt.Sprintf("%s:%d", m.src.short(o.File), o.Line)
		}
	}
	if len(f.Steps) > 0 && f.Steps[0].At != "" {
		return m.src.shortPlace(f.Steps[0].At)
	}
	if f.At.At != "" && f.At.At != "0" {
		if _, _, ok := splitPlace(f.At.At); ok {
			return m.src.shortPlace(f.At.At)
		}
	}
	return m.src.shortPlace(f.Where)
}

// declaration is what the finding is about, and where that is declared.
func (m *maker) declaration(f *report.Finding) (name, at string) {
	switch o := f.Object; {
	case o == nil:
	case o.Name != "":
		return shortWords(o.Name), m.src.shortPlace(o.DeclaredAt)
	case o.Type != "":
		return shortWords(o.Type), m.src.shortPlace(o.DeclaredAt)
	}
	if names := lockNames(f); names != "" {
		return names, ""
	}
	if len(f.Transactions) > 0 && f.Transactions[0].Name != "" {
		return shortWords(f.Transactions[0].Name), m.src.shortPlace(f.Transactions[0].MarkedAt)
	}
	for _, e := range f.Events() {
		if o := own(e.Stack); o != nil {
			return shortWords(o.Func), fmt.Sprintf("%s:%d", m.src.short(o.File), o.Line)
		}
	}
	if f.Evidence == report.Static {
		file, _, _ := splitPlace(f.At.At)
		return m.src.short(file), ""
	}
	if f.At.Target != "" {
		return f.At.Target, ""
	}
	return f.Where, ""
}

// tests are the tests of a finding, in a line.
func tests(f *report.Finding) string {
	const most = 12
	list := slices.Compact(slices.Clone(f.Tests))
	if len(list) > most {
		return fmt.Sprintf("%s, and %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
