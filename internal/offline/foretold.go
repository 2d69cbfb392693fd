// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A Foretelling collects the predictions of check avp for the runs of one program, in the form of
// the program's own reports: once for each two lines of marked code.
type Foretelling struct {
	told map[violationGroup]bool
}

// Add returns the predictions in a trace that commute has recorded, after the trace was read to its
// end. It leaves out predictions that it has returned before, violations that have happened, and
// code for which passed returns true. Passed gets the name of a function, and file:line of its
// mark. The reports name no trace.
func (f *Foretelling) Add(r *Result, file *tracefile.File,
	passed func(name, mark string) bool) (list []*report.Finding) {
	if f.told == nil {
		f.told = make(map[violationGroup]bool)
	}
	p := file.Tables().Program
	for i := range r.Checks {
		for k := range r.Checks[i].Findings {
			x := &r.Checks[i].Findings[k]
			if x.Witness == nil || x.Cycle == nil {
				continue
			}
			edges := x.Cycle.Edges
			g, ok := groupOf(p, &x.Cycle.Transactions[0], &edges[0].Tail.Event,
				&edges[len(edges)-1].Head.Event)
			if !ok || f.told[g] || passed(g.name, g.at) {
				continue
			}
			f.told[g] = true
			found := x.Report(file, r.Checks[i].Name)
			found.Where = ""
			list = append(list, found)
		}
	}
	return list
}
