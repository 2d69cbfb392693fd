// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/engine/term"
)

// happened writes what the order of the run was, where the finding shows another one: the other
// goroutine came after both steps of the first one. It writes nothing if that is not so.
func (r *Finding) happened(b *strings.Builder) {
	var mine, others []*Event
	switch {
	case r.Evidence == Observed:
		return
	case r.Decided != nil && r.Previous != nil:
		act, other := r.actAndOther()
		mine, others = []*Event{r.Decided, act}, []*Event{other}
	case len(r.Edges) > 1:
		for i := range r.Edges {
			for _, e := range []*Event{&r.Edges[i].From, &r.Edges[i].To} {
				if e.Thread == r.transaction(0).Thread {
					mine = append(mine, e)
				} else {
					others = append(others, e)
				}
			}
		}
	}
	if len(mine) != 2 || len(others) == 0 {
		return
	}
	for _, e := range others {
		if e.Thread != others[0].Thread || e.Number <= max(mine[0].Number, mine[1].Number) {
			return
		}
	}
	fmt.Fprintf(b, "%s%s%s%s\n", term.InThisRun[0], goroutineNumber(others[0]),
		term.InThisRun[1], goroutineNumber(mine[0]))
}

// goroutineNumber is the goroutine of an event, without the word.
func goroutineNumber(e *Event) string {
	return strings.TrimPrefix(goroutine(e.Goroutine, e.Thread), "goroutine ")
}

// numberSteps gives the steps their numbers in the run, if they are told by the line that
// term.InThisRun is of.
func (p *parser) numberSteps() {
	line, _ := strings.CutPrefix("In this run: "+p.inThisRun, term.InThisRun[0])
	last, first, ok := strings.Cut(line, term.InThisRun[1])
	if !ok {
		return
	}
	n := uint64(0)
	for _, name := range []string{first, last} {
		for i := range p.f.Steps {
			if s := &p.f.Steps[i]; s.Goroutine == "goroutine "+name {
				n++
				s.Number = n
			}
		}
	}
}
