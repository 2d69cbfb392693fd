// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// fix makes a difference of each edit: the lines that it is in, before and after. Edits of a file
// that can't be read, or is another by now, are only named.
func (m *maker) fix(x report.Fix) fix {
	v := fix{Message: shortWords(x.Message)}
	edits := slices.Clone(x.Edits)
	slices.SortStableFunc(edits, func(a, b report.Edit) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Start - b.Start
	})
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].File == edits[0].File {
			n++
		}
		v.Diff = append(v.Diff, m.diff(edits[0].File, edits[:n])...)
		edits = edits[n:]
	}
	return v
}

// diff is the difference that edits of one file make, which are in order.
func (m *maker) diff(file string, edits []report.Edit) (list []string) {
	lines := m.src.lines(file)
	text := strings.Join(lines, "\n") + "\n"
	for len(edits) > 0 {
		start, end := edits[0].Start, edits[0].End
		if lines == nil || start < 0 || start > end || end > len(text) {
			return append(list, "@ "+m.src.short(file)+": can't be shown")
		}
		from := strings.LastIndexByte(text[:start], '\n') + 1
		to, done, after := lineEnd(text, end), from, ""
		n := 0
		for ; n < len(edits) && edits[n].Start < to; n++ { // those in the same lines
			e := edits[n]
			if e.Start < done || e.End < e.Start || e.End > len(text) {
				break
			}
			after += text[done:e.Start] + e.New
			done, to = e.End, max(to, lineEnd(text, e.End))
		}
		if n == 0 { // at the end of the file, or it overlaps the one before
			after, done, n = text[from:start]+edits[0].New, end, 1
		}
		after += text[done:max(done, to)]
		list = append(list, fmt.Sprintf("@ %s:%d", m.src.short(file),
			strings.Count(text[:from], "\n")+1))
		list = append(list, changed(text[from:max(done, to)], after)...)
		edits = edits[n:]
	}
	return list
}

// lineEnd is where the line ends that a byte is in, its newline included.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// changed are the lines of a difference. Lines that are alike at both ends have a space before.
func changed(before, after string) (list []string) {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	add := func(sign string, lines []string) {
		for _, l := range lines {
			list = append(list, sign+l)
		}
	}
	add(" ", a[:head])
	add("-", a[head:len(a)-tail])
	add("+", b[head:len(b)-tail])
	add(" ", a[len(a)-tail:])
	return list
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
