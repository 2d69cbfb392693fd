// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package github writes findings as annotations of GitHub Actions: lines in the output of a step by
// which a finding is shown at its place in a pull request.
//
// Input: a run with its findings, and the folder that paths are relative to, which is the one of
// the repository. Output: a line for each finding, as "::error
// file=a.go,line=3,title=...::message".
package github

import (
	"fmt"
	"io"
	"strings"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

// In a message, these have to be escaped; in a property, a colon and a comma as well.
var (
	messages   = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	properties = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Write writes a run.
func Write(w io.Writer, run *report.Run, root location.Root) error {
	for _, f := range run.Findings {
		if _, err := io.WriteString(w, line(f, root)); err != nil {
			return err
		}
	}
	return nil
}

// line is the annotation of a finding.
func line(f *report.Finding, root location.Root) string {
	var b strings.Builder
	fmt.Fprintf(&b, "::%s ", f.Level())
	if at := root.Primary(f); at.File != "" {
		path, _ := root.Path(at.File)
		fmt.Fprintf(&b, "file=%s,", properties.Replace(path))
		if at.Line > 0 {
			fmt.Fprintf(&b, "line=%d,", at.Line)
		}
		if at.Col > 0 {
			fmt.Fprintf(&b, "col=%d,", at.Col)
		}
	}
	fmt.Fprintf(&b, "title=%s::%s\n", properties.Replace(title(f)), messages.Replace(text(f)))
	return b.String()
}

// title is the kind and what can go wrong.
func title(f *report.Finding) string {
	if f.Evidence == report.Static {
		return "commute vet: " + f.Check
	}
	s := "commute: " + string(f.Kind)
	if f.Effect != "" {
		s += ", " + string(f.Effect)
	}
	return s
}

// text is the head of a finding, the steps by which it happens, and the mend.
func text(f *report.Finding) string {
	if f.Headline == "" {
		return strings.TrimSpace(f.Text())
	}
	lines := []string{f.Headline}
	for _, s := range f.Steps {
		step := "  "
		if s.Goroutine != "" {
			step += s.Goroutine + ": "
		}
		if s.At != "" {
			step += s.At[strings.LastIndexAny(s.At, `/\`)+1:] + "  "
		}
		lines = append(lines, step+s.Does)
	}
	if f.Mend != "" {
		lines = append(lines, "How to mend it: "+f.Mend)
	}
	if f.Page != "" {
		lines = append(lines, "More of it: commute explain "+f.Page)
	}
	if len(f.Tests) > 0 {
		lines = append(lines, "Test: "+strings.Join(f.Tests, ", "))
	}
	return strings.Join(lines, "\n")
}
