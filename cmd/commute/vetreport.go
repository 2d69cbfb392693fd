// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"io"

	"golang.org/x/tools/go/analysis"
)

// A vetResult is the result of one analyzer for a package.
type vetResult struct {
	analyzer string
	found    []analysis.Diagnostic
	err      error
}

// The types below are the format of go vet -json, which the go command reads from its tool. For
// each package, and each analyzer, there is a list of diagnostics or an error.
type (
	jsonDiagnostic struct {
		Category       string        `json:"category,omitempty"`
		Posn           string        `json:"posn"`
		End            string        `json:"end"`
		Message        string        `json:"message"`
		SuggestedFixes []jsonFix     `json:"suggested_fixes,omitempty"`
		Related        []jsonRelated `json:"related,omitempty"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Edits   []jsonEdit `json:"edits"`
	}
	jsonEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	jsonRelated struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	}
	jsonError struct {
		Err string `json:"error"`
	}
)

// writeJSON writes the results for a package as package unitchecker does.
func writeJSON(w io.Writer, fset *token.FileSet, id string, results []vetResult) error {
	tree := make(map[string]map[string]any)
	for _, r := range results {
		if r.err == nil && len(r.found) == 0 {
			continue
		}
		if tree[id] == nil {
			tree[id] = make(map[string]any)
		}
		tree[id][r.analyzer] = resultJSON(fset, r)
	}
	text, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// resultJSON is the result of one analyzer in that format.
func resultJSON(fset *token.FileSet, r vetResult) any {
	if r.err != nil {
		return jsonError{r.err.Error()}
	}
	place := func(pos token.Pos) string { return fset.Position(pos).String() }
	list := []jsonDiagnostic{}
	for _, d := range r.found {
		j := jsonDiagnostic{Category: d.Category, Posn: place(d.Pos),
			End: place(cmp.Or(d.End, d.Pos)), Message: d.Message}
		for _, fix := range d.SuggestedFixes {
			f := jsonFix{Message: fix.Message}
			for _, e := range fix.TextEdits {
				from, to := fset.Position(e.Pos), fset.Position(e.End)
				f.Edits = append(f.Edits, jsonEdit{from.Filename, from.Offset, to.Offset,
					string(e.NewText)})
			}
			j.SuggestedFixes = append(j.SuggestedFixes, f)
		}
		for _, rel := range d.Related {
			j.Related = append(j.Related,
				jsonRelated{place(rel.Pos), place(cmp.Or(rel.End, rel.Pos)), rel.Message})
		}
		list = append(list, j)
	}
	return list
}
