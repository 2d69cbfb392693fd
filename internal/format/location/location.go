// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package location finds where in the user's source a finding is, for formats that show a finding
// at a line of a file.
//
// Input: a finding, and the folder that paths are to be relative to. Output: for each place, the
// path of its file in that folder, and the line.
package location

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/commutego/commute/report"
	"golang.org/x/mod/modfile"
)

// A Root is a folder that the user's files are in.
type Root struct {
	dir    string // absolute
	module string // the path of the module in it, "" if there is none
}

// At is the root in a folder. A file that was compiled with -trimpath is named by the path of its
// module: that is read from the folder's go.mod.
func At(dir string) Root {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return Root{dir: dir}
	}
	return Root{dir: dir, module: modfile.ModulePath(text)}
}

// Dir is the root's folder, an absolute path.
func (r Root) Dir() string { return r.dir }

// Path is the path of a file in the root, with slashes. Inside is false if the file is not in it:
// then the path is as it was.
func (r Root) Path(file string) (path string, inside bool) {
	if rest, ok := strings.CutPrefix(file, r.module+"/"); ok && r.module != "" {
		return rest, true
	}
	if !filepath.IsAbs(file) {
		made := strings.HasPrefix(file, "<") // by the compiler
		return filepath.ToSlash(file), filepath.IsLocal(file) && !made
	}
	rel, err := filepath.Rel(r.dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(file), false
	}
	return filepath.ToSlash(rel), true
}

// A Place is a line of a file.
type Place struct {
	File      string // as the program has it
	Line, Col int    // from 1; 0 if they are not known
}

// Split splits "file:line" or "file:line:col".
func Split(at string) (p Place) {
	p.File, p.Line = cutNumber(at)
	if file, line := cutNumber(p.File); line > 0 {
		p.File, p.Line, p.Col = file, line, p.Line
	}
	return p
}

// cutNumber cuts the number behind the last colon; it is 0 if there is none.
func cutNumber(s string) (before string, n int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n <= 0 {
		return s, 0
	}
	return s[:i], n
}

// Of is the place of an event: the innermost frame in the root, or else its position.
func (r Root) Of(e *report.Event) Place {
	for _, f := range e.Stack {
		if _, inside := r.Path(f.File); inside && f.Line > 0 {
			return Place{File: f.File, Line: int(f.Line)}
		}
	}
	return Split(e.At)
}

// Sides are the events of a finding: the one at which it is shown first, and then those that it
// stands against.
func Sides(f *report.Finding) (list []*report.Event) {
	add := func(e *report.Event) {
		if e == nil || e.At == "" && len(e.Stack) == 0 {
			return
		}
		for _, o := range list {
			if o.At == e.At && o.Did == e.Did && o.Thread == e.Thread {
				return
			}
		}
		list = append(list, e)
	}
	if f.Decided != nil && f.Act == "previous" {
		add(f.Previous)
	}
	add(&f.At)
	add(f.Decided)
	add(f.Previous)
	for i := range f.Edges {
		add(&f.Edges[i].From)
		add(&f.Edges[i].To)
	}
	for i := range f.Nodes {
		add(&f.Nodes[i].From)
		add(&f.Nodes[i].To)
	}
	return list
}

// Primary is the place at which a finding is shown: the first of its sides that is in the root, or
// else its first side.
func (r Root) Primary(f *report.Finding) (p Place) {
	for i, e := range Sides(f) {
		at := r.Of(e)
		if _, inside := r.Path(at.File); inside && at.Line > 0 {
			return at
		}
		if i == 0 {
			p = at
		}
	}
	return p
}
