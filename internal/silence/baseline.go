// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package silence

import (
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// Texts are the texts of a finding that patterns are held against.
func Texts(f *report.Finding) (list []string) {
	list = append(list, "kind:"+string(f.Kind))
	if f.Evidence == report.Static {
		list = append(list, "vet:"+f.Check, f.Where)
	}
	if f.Object != nil {
		list = append(list, f.Object.Name)
	}
	for _, t := range f.Transactions {
		list = append(list, t.Name)
	}
	for _, s := range f.AllStacks() {
		for _, fr := range s {
			list = append(list, fr.Func, fr.File)
		}
	}
	return list
}

// For is a line that holds for a finding, and for others of its kind between the same functions on
// the same declaration, wherever their lines are.
func For(f *report.Finding) string {
	parts := []string{"kind:" + string(f.Kind)}
	if f.Evidence == report.Static {
		file, _, _ := strings.Cut(f.Where, ":")
		return "vet:" + f.Check + " && " + file[strings.LastIndexAny(file, `/\`)+1:]
	}
	var functions []string
	for _, name := range f.Functions() {
		if p := "^" + name + "$"; !slices.Contains(functions, p) {
			functions = append(functions, p)
		}
	}
	slices.Sort(functions)
	parts = append(parts, functions...)
	// Whether a data race's variable has a name is up to what else was seen in a run.
	if f.Object != nil && f.Object.Name != "" && f.Kind != report.DataRace {
		parts = append(parts, "^"+f.Object.Name+"$")
	}
	return strings.Join(parts, " && ")
}

// Update is the text of a file in which each finding has a line: lines that hold for one stay as
// they are, those that do not are left out if drop is set, and findings without a line get one,
// with their effect and evidence as the reason. Added and dropped say how many.
func (f *File) Update(findings []*report.Finding, drop func(*Line) bool) (text string,
	added, dropped int) {
	known := make(map[int]*Line)
	for _, l := range f.Lines {
		known[l.Number] = l
	}
	var lines []string
	for i, text := range f.text {
		if l := known[i+1]; l != nil && drop(l) {
			dropped++
			continue
		}
		lines = append(lines, text)
	}
	var fresh []string
	for _, x := range findings {
		line := For(x)
		has := func(known string) bool {
			patterns, _, _ := strings.Cut(known, "#")
			return strings.TrimSpace(patterns) == line
		}
		if slices.ContainsFunc(lines, has) || slices.ContainsFunc(fresh, has) {
			continue
		}
		why := string(x.Evidence)
		if x.Effect != "" {
			why = string(x.Effect) + ", " + why
		}
		fresh = append(fresh, line+"  # "+why)
		added++
	}
	slices.Sort(fresh) // so that two runs write the same
	if len(f.text) == 0 {
		lines = append(lines, "# Findings that are known, which commute doesn't report: one a line, "+
			"as patterns that all match.", "# Behind a #, a line may have a reason; until "+
			"2026-12-31; owner NAME", "")
	}
	lines = append(lines, fresh...)
	return strings.Join(lines, "\n") + "\n", added, dropped
}
