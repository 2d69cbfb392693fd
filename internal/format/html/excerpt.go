// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// maxExcerpts is how many excerpts a finding has at most.
const maxExcerpts = 8

// A spot is a line of a file that a finding is about.
type spot struct {
	file string
	line int
	text string // what it says, if the finding has it
}

// source adds excerpts around the places of a finding. Where a file can't be read, it is the lines
// that the report has.
func (m *maker) source(v *finding, f *report.Finding) {
	spots := m.spots(f)
	var files []string // in the order in which they are named
	for _, s := range spots {
		if !slices.Contains(files, s.file) {
			files = append(files, s.file)
		}
	}
	for _, file := range files {
		var of []spot
		for _, s := range spots {
			if s.file == file {
				of = append(of, s)
			}
		}
		slices.SortFunc(of, func(a, b spot) int { return a.line - b.line })
		for len(of) > 0 && len(v.Source) < maxExcerpts {
			n := 1
			for n < len(of) && of[n].line-of[n-1].line <= 2*around+1 {
				n++
			}
			if x, ok := m.excerpt(file, of[:n]); ok {
				v.Source = append(v.Source, x)
			}
			of = of[n:]
		}
	}
}

// spots are the lines that a finding is about, those of the report first.
func (m *maker) spots(f *report.Finding) (list []spot) {
	add := func(at, text string) {
		file, line, ok := splitPlace(at)
		if !ok || line <= 0 {
			return
		}
		file = m.whole(f, file, line)
		if !slices.ContainsFunc(list, func(s spot) bool { return s.file == file && s.line == line }) {
			list = append(list, spot{file, line, text})
		}
	}
	for _, l := range f.Source {
		add(l.At, l.Text)
	}
	for _, s := range f.Steps {
		add(s.At, "")
	}
	if s := f.Sections; s != nil {
		add(s.From, "")
		add(s.To, "")
		add(s.Other.At, "")
	}
	for _, e := range f.Events() {
		if o := own(e.Stack); o != nil && len(f.Steps) == 0 {
			add(fmt.Sprintf("%s:%d", o.File, o.Line), "")
		}
	}
	if f.Evidence == report.Static {
		add(f.At.At, "")
	}
	return list
}

// whole is the path of a file of which only the name is known: that of a frame at the same line,
// or else of another frame in a file of that name.
func (m *maker) whole(f *report.Finding, file string, line int) string {
	if strings.ContainsAny(file, `/\`) {
		return file
	}
	found := ""
	for _, e := range f.Events() {
		for _, fr := range e.Stack {
			if path.Base(fr.File) != file {
				continue
			}
			if int(fr.Line) == line {
				return fr.File
			}
			if found == "" {
				found = fr.File
			}
		}
	}
	if found != "" {
		return found
	}
	return file
}

// excerpt makes one excerpt of spots of a file that are near to each other.
func (m *maker) excerpt(file string, spots []spot) (marked, bool) {
	lines := m.src.lines(file)
	last := spots[len(spots)-1].line
	x := excerpt{File: m.src.short(file)}
	var v marked
	for _, s := range spots {
		v.Lines = append(v.Lines, s.line)
	}
	if last <= len(lines) {
		x.First = max(1, spots[0].line-around)
		x.Text = lines[x.First-1 : min(len(lines), last+around)]
	} else {
		x.First = spots[0].line
		for _, s := range spots { // lines in between aren't known
			for s.text != "" && x.First+len(x.Text) < s.line {
				x.Text = append(x.Text, "")
			}
			if s.text != "" {
				x.Text = append(x.Text, s.text)
			}
		}
		if len(x.Text) == 0 {
			return v, false
		}
	}
	key := fmt.Sprintf("%s:%d:%s", x.File, x.First, strings.Join(x.Text, "\n"))
	n, ok := m.excerpts[key]
	if !ok {
		n = len(m.out.Excerpts)
		m.excerpts[key] = n
		m.out.Excerpts = append(m.out.Excerpts, x)
	}
	v.Excerpt = n
	return v, true
}
