// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package sarif writes findings as a SARIF 2.1.0 log, which code scanning services read.
//
// Input: a run with its findings, and the folder that paths are relative to. Output: one log with
// one run. A finding is a result. Its location is a place in the user's source, its related
// locations are all sides, its code flow has the steps of the interleaving, one thread flow for
// each goroutine, and its partial fingerprint survives that lines move.
//
// The types are written out here, as the fields in use are few. The libraries there are have no
// code flows, or bring a validator, which each start of the command would pay for. Tests hold the
// output against the standard's schema by such a library.
package sarif

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	place "github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" +
		"sarif-schema-2.1.0.json"
	home = "https://github.com/commutego/commute"

	// base stands for the root in the paths of files.
	base = "SRCROOT"
)

// FingerprintName is the key of the fingerprint of each result. Its number changes with what goes
// into the fingerprint.
const FingerprintName = "commute/v1"

// A writer makes the results of a run.
type writer struct {
	root  place.Root
	rules []rule
}

// Write writes a run. Version is commute's, "" if it is not known.
func Write(w io.Writer, run *report.Run, root place.Root, version string) error {
	x := &writer{root: root}
	results := make([]result, 0, len(run.Findings))
	for _, f := range run.Findings {
		results = append(results, x.result(f))
	}
	rules := x.rules
	if rules == nil {
		rules = []rule{}
	}
	out := sarifRun{
		Tool: tool{driver{Name: "commute", Version: version, InformationURI: home, Rules: rules}},
		Invocations: []invocation{{CommandLine: strings.Join(run.Command, " "),
			ExecutionSuccessful: true}},
		OriginalURIBaseIDs: map[string]artifactLocation{base: {URI: fileURI(root.Dir()) + "/"}},
		ColumnKind:         "unicodeCodePoints",
		Results:            results,
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{Schema: schema, Version: "2.1.0", Runs: []sarifRun{out}})
}

// fileURI is the URI of a file or folder.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// rule returns the number of a finding's rule, which is added if it is new.
func (x *writer) rule(f *report.Finding) int {
	id := f.Rule()
	if i := slices.IndexFunc(x.rules, func(r rule) bool { return r.ID == id }); i >= 0 {
		return i
	}
	what := describe(f)
	help, uri := what+".", home+"/blob/main/docs/reports.md"
	switch {
	case f.Page != "":
		help += ` "commute explain ` + f.Page + `" says more.`
	case f.Evidence == report.Static:
		uri = home + "/blob/main/docs/vet.md"
	}
	x.rules = append(x.rules, rule{ID: id, ShortDescription: message{what},
		Help: message{help}, HelpURI: uri})
	return len(x.rules) - 1
}

// describe is what a rule finds.
func describe(f *report.Finding) string {
	switch {
	case f.Evidence == report.Static:
		return "What analyzer " + f.Check + " finds in the source"
	case f.Kind == report.DataRace:
		return "Two goroutines access the same memory, one writes, and nothing orders them"
	case f.Kind == report.Deadlock:
		return "Goroutines can come to wait for each other's locks"
	case f.Kind == report.AtomicityViolation:
		return "What is meant to be atomic is not: no order of whole transactions has the same effect"
	case f.Kind == report.CheckThenActRace:
		return "A check and the act that depends on it are not one step: " + string(f.Effect)
	}
	return "Two calls do not commute, and nothing orders them: " + string(f.Effect)
}

// result is a finding's.
func (x *writer) result(f *report.Finding) result {
	i := x.rule(f)
	r := result{RuleID: x.rules[i].ID, RuleIndex: i, Level: f.Level(), Message: message{text(f)},
		PartialFingerprints: map[string]string{FingerprintName: f.Identity()},
		OccurrenceCount:     f.Times, CodeFlows: x.codeFlows(f), Fixes: x.fixes(f),
		Properties: map[string]any{"kind": f.Kind, "evidence": f.Evidence}}
	if at := x.root.Primary(f); at.File != "" {
		r.Locations = []location{x.location(at, "")}
	}
	for id, e := range place.Sides(f) {
		if at := x.root.Of(e); at.File != "" {
			l := x.location(at, said(e))
			l.ID = &id
			r.RelatedLocations = append(r.RelatedLocations, l)
		}
		if len(e.Stack) > 0 {
			r.Stacks = append(r.Stacks, x.stack(e))
		}
	}
	if f.Evidence == report.Static {
		for i, s := range f.Steps {
			l := x.location(place.Split(s.At), s.Does)
			l.ID = new(i + 1)
			r.RelatedLocations = append(r.RelatedLocations, l)
		}
	}
	if len(f.Tests) > 0 {
		r.Properties["tests"] = f.Tests
	}
	if f.Object != nil && f.Object.Name != "" {
		r.Properties["object"] = f.Object.Name
	}
	return r
}

// text is a finding in words.
func text(f *report.Finding) string {
	var parts []string
	add := func(before, s string) {
		if s != "" {
			parts = append(parts, before+s)
		}
	}
	add("", f.Headline)
	if f.Headline == "" {
		add("", strings.TrimSpace(f.Text()))
	}
	if f.Effect != "" {
		add("What can go wrong: ", string(f.Effect)+": "+f.Why)
	} else if f.Evidence != report.Predicted {
		add("What can go wrong: ", f.Why)
	}
	add("Evidence: ", strings.Trim(string(f.Evidence)+": "+f.Because, ": "))
	add("How to mend it: ", f.Mend)
	return strings.Join(parts, "\n")
}

// said is what an event is, and whose.
func said(e *report.Event) string {
	what := e.Did
	if what == "" {
		what = strings.TrimSpace(e.Op + " " + e.Target)
	}
	if e.Thread != "" {
		what += " by goroutine " + e.Thread
	}
	return what
}

// location is a place, with what is there.
func (x *writer) location(at place.Place, what string) (l location) {
	path, inside := x.root.Path(at.File)
	file := artifactLocation{URI: (&url.URL{Path: path}).String(), URIBaseID: base}
	if !inside {
		file = artifactLocation{URI: (&url.URL{Path: path}).String()}
		if filepath.IsAbs(at.File) {
			file.URI = fileURI(at.File)
		}
	}
	l.PhysicalLocation = &physicalLocation{ArtifactLocation: file}
	if at.Line > 0 {
		l.PhysicalLocation.Region = &region{StartLine: at.Line, StartColumn: at.Col}
	}
	if what != "" {
		l.Message = &message{what}
	}
	return l
}

// stack is the stack of an event.
func (x *writer) stack(e *report.Event) stack {
	s := stack{Message: &message{said(e)}}
	for _, f := range e.Stack {
		l := x.location(place.Place{File: f.File, Line: int(f.Line)}, "")
		l.LogicalLocations = []logicalLocation{{FullyQualifiedName: f.Func, Kind: "function"}}
		s.Frames = append(s.Frames, frame{l})
	}
	return s
}

// codeFlows is the interleaving: a thread flow for each goroutine, whose steps are numbered in the
// order in which they are made.
func (x *writer) codeFlows(f *report.Finding) []codeFlow {
	if f.Evidence == report.Static {
		return nil // the steps are places
	}
	var flow codeFlow
	for order, s := range f.Steps {
		i := slices.IndexFunc(flow.ThreadFlows, func(t threadFlow) bool {
			return t.ID == s.Goroutine
		})
		if i < 0 {
			i = len(flow.ThreadFlows)
			flow.ThreadFlows = append(flow.ThreadFlows, threadFlow{ID: s.Goroutine})
		}
		l := location{Message: &message{s.Does}}
		if s.At != "" {
			l = x.location(place.Split(s.At), s.Does)
		}
		flow.ThreadFlows[i].Locations = append(flow.ThreadFlows[i].Locations,
			threadFlowLocation{Location: l, ExecutionOrder: order + 1})
	}
	if flow.ThreadFlows == nil {
		return nil
	}
	return []codeFlow{flow}
}
