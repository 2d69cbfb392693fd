// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A Foretelling collects what check avp has predicted of the runs of one program, as that would
// have reported it: of each two lines of marked code once.
type Foretelling struct {
	told map[violationGroup]bool
}

// Add returns what was predicted in a trace that commute has recorded and that is read to its end.
// It leaves out what was told before, what has happened, and the code that is passed over: passed
// is given the name of a function, and file:line of its mark. The reports name no trace.
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
