// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package edit replaces byte ranges of a Go source file. Commute edits text at the positions of
// tokens and prints no syntax trees, so that every line of the user's stays where it is.
//
// Input: a source and edits in any order. Output: the edited source, with a
// line directive that keeps positions those of the original.
package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// An Edit replaces the bytes [Start, End) with Text.
type Edit struct {
	Start, End int
	Text       string
}

// Apply returns src with the edits made. Insertions at one offset keep their
// order; edits that overlap are an error.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.Start < last || e.End < e.Start || e.End > len(src) {
			return nil, fmt.Errorf("edit of bytes %d to %d overlaps another or lies outside the "+
				"source", e.Start, e.End)
		}
		out.Write(src[last:e.Start])
		out.WriteString(e.Text)
		last = e.End
	}
	out.Write(src[last:])
	return out.Bytes(), nil
}

// WithLine returns src under a line directive that says that it is file.
func WithLine(file string, src []byte) []byte {
	return append(fmt.Appendf(nil, "//line %s:1:1\n", file), src...)
}
