// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package docs extracts the documentation of an analyzer from its package's doc comment.
package docs

import "strings"

// Section finds the section "Analyzer name" of a package comment. It returns the section's text
// from the line "name: summary" to the end.
func Section(src, name string) string {
	_, section, _ := strings.Cut(src, "\n// # Analyzer "+name+"\n")
	section, _, _ = strings.Cut(section, "\npackage ")
	var b strings.Builder
	for line := range strings.SplitSeq(section, "\n") {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}
