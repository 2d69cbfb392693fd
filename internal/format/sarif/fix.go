// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sarif

import (
	"bytes"
	"os"
	"unicode/utf8"

	place "github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// fixes are the changes of the source that mend a finding. One whose files cannot be read is left
// out: a region is in lines and columns, which the offsets of the edits are not.
func (x *writer) fixes(f *report.Finding) (list []fix) {
	for _, c := range f.Fixes {
		if changes, ok := x.changes(c.Edits); ok {
			list = append(list, fix{message{c.Message}, changes})
		}
	}
	return list
}

// changes are edits, file by file.
func (x *writer) changes(edits []report.Edit) (list []artifactChange, ok bool) {
	at := make(map[string]int) // indexes in list, by file
	texts := make(map[string][]byte)
	for _, e := range edits {
		i, known := at[e.File]
		if !known {
			text, err := os.ReadFile(e.File)
			if err != nil {
				return nil, false
			}
			i = len(list)
			at[e.File], texts[e.File] = i, text
			where := x.location(place.Place{File: e.File}, "")
			list = append(list, artifactChange{
				ArtifactLocation: where.PhysicalLocation.ArtifactLocation})
		}
		text := texts[e.File]
		if e.Start < 0 || e.End < e.Start || e.End > len(text) {
			return nil, false // the file is another one by now
		}
		var r region
		r.StartLine, r.StartColumn = lineAndColumn(text[:e.Start])
		r.EndLine, r.EndColumn = lineAndColumn(text[:e.End])
		list[i].Replacements = append(list[i].Replacements, replacement{r, content{e.New}})
	}
	return list, len(list) > 0
}

// lineAndColumn are where a text ends, from 1. Columns are code points.
func lineAndColumn(text []byte) (line, column int) {
	last := bytes.LastIndexByte(text, '\n')
	return bytes.Count(text, []byte("\n")) + 1, utf8.RuneCount(text[last+1:]) + 1
}
