// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/check/lockorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// A deadlockChecker finds deadlocks that another order may lead to. It tells at the end.
type deadlockChecker struct {
	*lockorder.Checker
	gaveUp *bool // there may be more
}

func checkDeadlocks(*event.Relation) checker {
	return &deadlockChecker{lockorder.New(), new(bool)}
}

func (c *deadlockChecker) take(events []event.Event, _ bool, _ func(Finding)) bool {
	for i := range events {
		c.Event(&events[i])
	}
	return false
}

// end tells one finding for all cycles whose acquires are at the same places, in whatever threads.
func (c *deadlockChecker) end(all bool, found func(Finding)) {
	cycles, done := c.Finish()
	*c.gaveUp = !done
	told := make(map[string]bool)
	for _, cycle := range cycles {
		var places []string
		for _, w := range cycle {
			held, wanted := &w.Holds.Event, &w.Wants.Event
			places = append(places, fmt.Sprint(held.Target, held.Pos, wanted.Target, wanted.Pos))
		}
		slices.Sort(places)
		key := strings.Join(places, ", ")
		if told[key] {
			continue
		}
		told[key] = true
		found(Finding{At: cycle[0].Wants, Deadlock: cycle})
		if !all {
			return
		}
	}
}

// addDeadlock adds which thread waits for which.
func addDeadlock(file *tracefile.File, r *report.Finding, cycle lockorder.Cycle) {
	r.Kind, r.Evidence = report.Deadlock, report.Potential
	for _, w := range cycle {
		r.Nodes = append(r.Nodes, report.Node{From: eventOf(file, w.Holds),
			To: eventOf(file, w.Wants), Lock: file.Tables().Target(&w.Holds.Event)})
	}
}
