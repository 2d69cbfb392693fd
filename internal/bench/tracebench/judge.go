// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"slices"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/velodrome"
)

// A verdict is what a check says of the methods of a run.
type verdict struct {
	methods                 map[string]bool // that it reports
	proven, alarms, unknown uint64          // transactions, of a check that proves
	blocks                  avp.Counts      // of avp
}

// proofMethods are the checks that prove.
var proofMethods = map[string]forest.Method{
	"forest-conflict": forest.Conflict, "forest-view": forest.View, "block": forest.Block,
	"reduction": forest.Reduction,
}

// judge is the verdict of a check on a run of a program.
func judge(check string, p *programs.Program, r *programs.Run) (v verdict) {
	v.methods = make(map[string]bool)
	switch method, proves := proofMethods[check]; {
	case proves:
		c := forest.New(nil)
		for i := range r.Events {
			c.Event(&r.Events[i])
		}
		result := c.Finish(method)
		v.proven, v.alarms, v.unknown = result.Proven, result.Alarmed(), result.GaveUp
		for i := range result.Alarms {
			v.methods[r.Methods[result.Alarms[i].Transaction.Pos]] = true
		}
	case check == "avp":
		c := avp.New(nil, avp.Options{}, func(x *avp.Violation) bool {
			v.add(p, r, &x.Cycle)
			return false
		})
		d := reorder.Decoder{Mutexes: true}
		for i := range r.Events {
			c.Take(&r.Events[i], d.Step(&r.Events[i]))
		}
		c.End()
		v.blocks = c.Counts
	case check == "velodrome":
		c := velodrome.New(nil)
		for i := range r.Events {
			if c.Event(&r.Events[i]) {
				x := c.Cycle()
				v.add(p, r, &x)
			}
		}
	default:
		panic(fmt.Sprintf("no check %q", check))
	}
	return v
}

// add adds the methods of a cycle: those of which it is known that some order breaks them, or else
// all of them.
func (v *verdict) add(p *programs.Program, r *programs.Run, c *velodrome.Cycle) {
	var known, all []string
	for i := range c.Transactions {
		name, ok := r.Methods[c.Transactions[i].Pos]
		if !ok || !c.Transactions[i].Marked {
			continue
		}
		if all = append(all, name); p.Breaks(name) {
			known = append(known, name)
		}
	}
	if known == nil {
		known = all
	}
	for _, name := range known {
		v.methods[name] = true
	}
}

// report is the methods that are reported as the paper counts them: bugs, benign ones, and false
// alarms.
func (v *verdict) report(p *programs.Program) string {
	var bugs, benign, wrong int
	for name := range v.methods {
		switch {
		case slices.Contains(p.Bugs, name):
			bugs++
		case slices.Contains(p.Benign, name):
			benign++
		default:
			wrong++
		}
	}
	return fmt.Sprintf("%d-%d-%d", bugs, benign, wrong)
}
