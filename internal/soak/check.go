// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/soak/plan"
)

// An oracle knows what is to be reported of the rounds of one run of the machine.
type oracle struct {
	build  build
	plans  []*plan.Plan
	access map[string]place // by the name of a function, or a line of the main file
}

// A place is an operation of a plan.
type place struct{ round, op int }

// A line is an operation of the plan with a seed.
type line struct {
	seed uint64
	op   int
}

// A mistake is something that a run should not have done.
type mistake struct {
	round int    // -1: it is of no round
	what  string // in a word
	text  string
}

// A count is what became of the pairs that are to be reported.
type count struct {
	events     int // operations
	ordered    int // pairs of which there must be no report
	unordered  int // pairs that certainly race
	found      int // those of them that were reported
	variables  int // with such a pair
	violations int // transactions that were certainly interfered with
}

func (c *count) add(d count) {
	c.events += d.events
	c.ordered += d.ordered
	c.unordered += d.unordered
	c.found += d.found
	c.variables += d.variables
	c.violations += d.violations
}

func newOracle(m machineBuild, plans []*plan.Plan) *oracle {
	o := &oracle{m.build, plans, map[string]place{}}
	for k, p := range plans {
		for number, at := range m.places {
			if at.seed == p.Seed {
				o.access[number] = place{k, at.op}
			}
		}
		for i := range p.Ops {
			if name := functionName(p, i); name != "" && (m.places == nil || p.Ops[i].Txn()) {
				o.access[name] = place{k, i}
			}
		}
	}
	return o
}

// find returns the operation that a stack is of.
func (o *oracle) find(stack string) (place, bool) {
	for _, m := range frame.FindAllStringSubmatch(stack, -1) {
		for _, name := range m[1:] {
			if at, ok := o.access[name]; ok && name != "" {
				return at, true
			}
		}
	}
	return place{}, false
}

// functionName is the function that does an operation, if it has a site.
func functionName(p *plan.Plan, i int) string {
	switch o := &p.Ops[i]; o.Action {
	case plan.Read:
		return fmt.Sprintf(readName, p.Vars[o.Var].Type, o.Site)
	case plan.Write:
		return fmt.Sprintf(writeName, p.Vars[o.Var].Type, o.Site)
	case plan.Whole:
		return fmt.Sprintf(wholeName, o.Site)
	case plan.Split:
		return fmt.Sprintf(splitName, o.Site)
	case plan.Meddle:
		return fmt.Sprintf(meddleName, o.Site)
	}
	return ""
}

// seen reports whether the build watches a variable, and says by which kind of report.
func (o *oracle) seen(t plan.Type) (kind string, ok bool) {
	if t == plan.MapKey {
		return commuteRace, o.build.calls
	}
	return dataRace, o.build.memory
}

// check compares what was reported with what is known.
func (o *oracle) check(found []report) (mistakes []mistake, c count) {
	pairs := make([]map[[2]int]bool, len(o.plans)) // that were reported, by round
	broken := make([]map[int]bool, len(o.plans))
	for k := range pairs {
		pairs[k], broken[k] = map[[2]int]bool{}, map[int]bool{}
	}
	for _, r := range found {
		if m := o.place(r, pairs, broken); m != nil {
			mistakes = append(mistakes, *m)
		}
	}
	for k, p := range o.plans {
		mistakes = append(mistakes, o.round(k, p, pairs[k], broken[k], &c)...)
	}
	return mistakes, c
}

// place notes of which operations a report is. It returns a mistake if it is of none that conflict.
func (o *oracle) place(r report, pairs []map[[2]int]bool, broken []map[int]bool) *mistake {
	first, ok := o.find(r.sides[0])
	if !ok {
		return &mistake{-1, "report of something else", r.text}
	}
	p := o.plans[first.round]
	if r.kind == violation {
		if p.Ops[first.op].Action != plan.Split {
			return &mistake{first.round, "false alarm", r.text}
		}
		broken[first.round][first.op] = true
		return nil
	}
	second, ok := o.find(r.sides[1])
	if !ok || second.round != first.round {
		return &mistake{first.round, "report of something else", r.text}
	}
	i, j := min(first.op, second.op), max(first.op, second.op)
	if p.Vars[p.Ops[i].Var].Type.Narrow() && p.Ops[i].Access() && r.kind == dataRace &&
		o.build.memory {
		return o.neighbour(first.round, i, j, r, pairs[first.round])
	}
	kind, ok := o.seen(p.Vars[p.Ops[i].Var].Type)
	if !p.Ops[i].Access() || !p.Ops[j].Access() || p.Ops[i].Var != p.Ops[j].Var || !ok ||
		r.kind != kind {
		return &mistake{first.round, "report of something else", r.text}
	}
	pairs[first.round][[2]int{i, j}] = true
	return nil
}

// neighbour notes a report of memory that has a neighbour in its word. Of the accesses that a
// goroutine made to the word between two synchronizations, the report may name the wrong one. So it
// is for all pairs of the two goroutines that race, of these variables, and there must be one.
func (o *oracle) neighbour(round, i, j int, r report, pairs map[[2]int]bool) *mistake {
	p := o.plans[round]
	a, b := &p.Ops[i], &p.Ops[j]
	any := false
	for _, pair := range p.Pairs() {
		first, second := &p.Ops[pair.First], &p.Ops[pair.Second]
		if pair.Verdict != plan.Ordered && (first.Var == a.Var || first.Var == b.Var) &&
			(first.G == a.G && second.G == b.G || first.G == b.G && second.G == a.G) {
			pairs[[2]int{pair.First, pair.Second}] = true
			any = true
		}
	}
	if !any {
		return &mistake{round, "false alarm", r.text}
	}
	return nil
}

// round checks what was reported of one round.
func (o *oracle) round(
	k int, p *plan.Plan, reported map[[2]int]bool, broken map[int]bool, c *count,
) (mistakes []mistake) {
	certain, told := map[int][]string{}, map[int]bool{} // by variable
	c.events += p.Events()
	left := reported
	for _, pair := range p.Pairs() {
		v := p.Ops[pair.First].Var
		if _, ok := o.seen(p.Vars[v].Type); !ok {
			continue
		}
		at := [2]int{pair.First, pair.Second}
		names := fmt.Sprintf("%d and %d: %s, %s", at[0], at[1], functionName(p, at[0]),
			functionName(p, at[1]))
		is := reported[at]
		delete(left, at)
		told[v] = told[v] || is
		switch pair.Verdict {
		case plan.Ordered:
			c.ordered++
			if is {
				mistakes = append(mistakes, mistake{k, "false alarm", names})
			}
		case plan.Unordered:
			c.unordered++
			certain[v] = append(certain[v], names)
			if is {
				c.found++
			}
		}
	}
	for at := range left {
		mistakes = append(mistakes,
			mistake{k, "false alarm", fmt.Sprintf("%d and %d do not conflict", at[0], at[1])})
	}
	for v, names := range certain {
		c.variables++
		if !told[v] {
			mistakes = append(mistakes,
				mistake{k, "miss", fmt.Sprintf("v%d: %s", v, strings.Join(names, "; "))})
		}
	}
	if o.build.memory {
		for i := range p.Ops {
			if p.Ops[i].Action == plan.Split {
				c.violations++
				if !broken[i] {
					mistakes = append(mistakes,
						mistake{k, "miss", fmt.Sprintf("%d: %s", i, functionName(p, i))})
				}
			}
		}
	}
	slices.SortFunc(mistakes, func(a, b mistake) int { return strings.Compare(a.text, b.text) })
	return mistakes
}
