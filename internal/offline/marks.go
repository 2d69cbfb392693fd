// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/proof"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/steps"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A recordedProofs judges the transactions of a trace that commute has recorded.
type recordedProofs struct {
	file    *tracefile.File
	program *trace.Program
	decoder *steps.Decoder
	check   *proof.Checker
	rules   Rules
}

// start begins the check of a trace, if commute has recorded it.
func (c *proofChecker) start(f *tracefile.File, o Options) {
	p := f.Tables().Program
	if !predictable(p) {
		return
	}
	f.WantCalls()
	c.recorded = &recordedProofs{
		f, p, steps.New(p), proof.New(c.relation, c.method), o.Rules,
	}
}

func (c *recordedProofs) take(events []event.Event, list []trace.CallStep) {
	c.decoder.Events(events, list, func(e *event.Event, s reorder.Step, cut bool) {
		c.check.Take(e, s, cut)
	})
}

// end has the alarms be told, and is what is known of each mark.
func (c *recordedProofs) end(p *Proofs, found func(*forest.Alarm)) {
	lost := c.file.Lost() > 0
	r := c.check.Finish(!lost)
	for i := range r.Alarms {
		x := &r.Alarms[i]
		if !c.rules.hush(c.program, &x.Nodes[0].From.Event, &x.Nodes[0].To.Event,
			&x.Nodes[1].From.Event, &x.Nodes[1].To.Event) {
			found(x)
		}
	}
	sums := make(map[[2]string]*proof.Mark)
	for pos, m := range r.Marks {
		var key [2]string
		key[0], key[1] = c.program.Begins(pos)
		sum := sums[key]
		if sum == nil {
			sum = new(proof.Mark)
			sums[key] = sum
		}
		sum.Add(m)
	}
	for key, m := range sums {
		p.Proven += m.Proven
		p.Alarms += m.Alarms
		p.GaveUp += m.All - m.Proven - m.Alarms
		p.Marks = append(p.Marks, markOf(key, m, lost))
	}
	slices.SortFunc(p.Marks, func(a, b report.Mark) int {
		i, j := strings.LastIndexByte(a.At, ':')+1, strings.LastIndexByte(b.At, ':')+1
		return cmp.Or(cmp.Compare(a.At[:i], b.At[:j]), cmp.Compare(len(a.At), len(b.At)),
			cmp.Compare(a.At, b.At), cmp.Compare(a.Name, b.Name))
	})
}

// whyNot are the reasons for which transactions are not proven.
var whyNot = [...]string{
	forest.Open:    "neither a proof nor a schedule was found",
	forest.Running: "they had not ended",
	forest.Freed:   "a lock of theirs is released by others",
	forest.Several: "a call is one of several steps",
	forest.Spent:   "the budget of searches for a proof was used up",
}

func markOf(key [2]string, m *proof.Mark, lost bool) report.Mark {
	k := report.Mark{Name: key[0], At: key[1], Transactions: m.All, Proven: m.Proven,
		Alarms: m.Alarms}
	switch {
	case m.Alarms > 0:
		k.Verdict = report.MarkPotential
	case m.Proven == m.All:
		k.Verdict = report.MarkProven
	default:
		k.Verdict = report.MarkUnknown
		if lost {
			k.Why = "the trace starts in the middle"
			break
		}
		var list []string
		for v, why := range whyNot {
			if n := m.Why[v]; n > 0 {
				list = append(list, fmt.Sprintf("%d: %s", n, why))
			}
		}
		k.Why = strings.Join(list, "; ")
	}
	return k
}

// violate has the verdict of the marks be violated of which another check has found a transaction
// that is not serializable.
func violate(program *trace.Program, checks []CheckResult) {
	type mark struct{ name, at string }
	violated := make(map[mark]bool)
	for i := range checks {
		for k := range checks[i].Findings {
			f := &checks[i].Findings[k]
			if t := f.Transaction; t != nil && f.Potential == nil {
				name, at := program.Begins(t.Pos)
				violated[mark{name, at}] = true
			}
		}
	}
	for i := range checks {
		if p := checks[i].Proofs; p != nil {
			for k := range p.Marks {
				if m := &p.Marks[k]; violated[mark{m.Name, m.At}] {
					m.Verdict, m.Why = report.MarkViolated, ""
				}
			}
		}
	}
}
