// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"path"
	"strings"
)

// excerpt writes the lines of the source that a finding is about, as a watched program does.
func (r *Finding) excerpt(b *strings.Builder) {
	width := 0
	for _, l := range r.Source {
		width = max(width, len(path.Base(l.At)))
	}
	for _, l := range r.Source {
		fmt.Fprintf(b, "  %-*s | %s\n", width, path.Base(l.At), l.Text)
	}
	if len(r.Source) > 0 {
		b.WriteString("\n")
	}
}

// advice writes how to mend a finding, and how to keep it silent, as far as that is known.
func (r *Finding) advice(b *strings.Builder) {
	mend := r.Mend
	if mend == "" && r.Sections != nil {
		mend = r.Sections.Mend
	}
	if mend != "" {
		fmt.Fprintf(b, "How to mend it: %s\n", mend)
	}
	if r.Silence != "" {
		fmt.Fprintf(b, "How to keep it silent: %s\n", r.Silence)
	}
}
