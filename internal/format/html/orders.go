// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// steps draws the interleaving that a report has in words.
func (d *drawing) steps() {
	f := d.f
	for _, s := range f.Steps {
		x := event{Lane: d.lane(s.Goroutine), Text: shortAddresses(s.Does)}
		if x.Text != s.Does {
			x.More = s.Does
		}
		file, _, ok := splitPlace(s.At)
		if ok {
			x.Place = strings.TrimPrefix(s.At, file[:len(file)-len(path.Base(file))])
		} else {
			x.Place = s.At
		}
		x.Number = s.Number
		e := d.find(s)
		if e != nil {
			x.Stack = d.m.stack(e.Stack)
			if o := own(e.Stack); o != nil {
				x.Func = shortWords(o.Func)
			}
			if e.Address != "" && x.More == "" {
				x.More = "address " + e.Address
			}
		}
		d.append(x, e)
	}
	d.stepPairs()
	two := len(f.Steps) == 2 && f.Decided == nil && f.Kind != report.Deadlock
	switch {
	case f.Evidence == report.Observed:
		d.chart(happened, "")
	case f.Evidence == report.Race && two && d.v.Events[0].Lane != d.v.Events[1].Lane:
		d.chart(happened, "")
		d.v.Charts = append(d.v.Charts, chart{Title: couldAsWell, Order: []int{1, 0},
			Note: nothingOrders})
	case f.Evidence == report.Race && d.numbered() == nil:
		d.chart(oneOrder, "")
	default:
		d.beside("")
	}
	for i := range d.v.Events {
		d.v.Events[i].Number = 0 // it is of no trace
	}
}

// find is the event of a step: by the same goroutine, at the same line. An event is of one step
// only, unless none is left.
func (d *drawing) find(s report.Step) (best *report.Event) {
	file, line, ok := splitPlace(s.At)
	for _, e := range d.f.Events() {
		if goroutine(e) != s.Goroutine || !ok {
			continue
		}
		o := own(e.Stack)
		if o == nil || int(o.Line) != line || path.Base(o.File) != path.Base(file) {
			continue
		}
		if !slices.Contains(d.from, e) {
			return e
		}
		best = e
	}
	return best
}

// stepPairs has the conflicts of an interleaving. One of two or three steps is a race, or a check
// and an act with another's call between. Of others it goes by what the accesses name.
func (d *drawing) stepPairs() {
	ev := d.v.Events
	if d.f.Kind == report.Deadlock {
		d.waitingSteps()
		return
	}
	if d.edgeSteps() {
		// nothing is left to be guessed
	} else if len(ev) <= 3 {
		for i := 1; i < len(ev); i++ {
			if ev[i].Lane != ev[i-1].Lane {
				d.v.Pairs = append(d.v.Pairs, pair{i - 1, i, conflict})
			}
		}
		if len(d.v.Pairs) > 1 && d.f.Kind == report.CheckThenActRace && d.f.Evidence == report.Race {
			d.v.Pairs = d.v.Pairs[1:] // two checks
		}
	} else {
		d.accessPairs()
	}
	var mine []int
	for i := range ev {
		if ev[i].Lane == ev[0].Lane {
			mine = append(mine, i)
		}
	}
	switch {
	case len(mine) < 2:
	case d.f.Kind == report.AtomicityViolation:
		d.v.Bands = append(d.v.Bands, band{ev[0].Lane, mine, "meant to be atomic"})
	case d.f.Kind == report.CheckThenActRace:
		d.v.Bands = append(d.v.Bands, band{ev[0].Lane, mine, "check and act"})
	}
}

// edgeSteps has the conflicts of a cycle, if the steps have both sides of each.
func (d *drawing) edgeSteps() bool {
	var list []pair
	for i := range d.f.Edges {
		e := &d.f.Edges[i]
		if e.From.Thread == e.To.Thread {
			continue
		}
		from, to := d.stepOf(&e.From), d.stepOf(&e.To)
		if from < 0 || to < 0 {
			return false
		}
		list = append(list, pair{from, to, conflict})
	}
	d.v.Pairs = append(d.v.Pairs, list...)
	return len(list) > 0
}

// stepOf is the index of the step that an event is, -1 if there is none.
func (d *drawing) stepOf(e *report.Event) int {
	lane, ok := d.lanes[goroutine(e)]
	o := own(e.Stack)
	for i, s := range d.f.Steps {
		_, line, known := splitPlace(s.At)
		if ok && d.v.Events[i].Lane == lane && strings.HasPrefix(s.Does, did(e)) &&
			strings.Contains(s.Does, e.Address) && (!known || o == nil || int(o.Line) == line) {
			return i
		}
	}
	return -1
}

// waitingSteps has who waits for whom, where each goroutine of a deadlock has two steps: it takes a
// lock, and it waits for another.
func (d *drawing) waitingSteps() {
	var from, to []int
	for i := range d.f.Nodes {
		lane, ok := d.lanes[goroutine(&d.f.Nodes[i].From)]
		var mine []int
		for k := range d.v.Events {
			if ok && d.v.Events[k].Lane == lane {
				mine = append(mine, k)
			}
		}
		if len(mine) != 2 {
			return // it is told in another way
		}
		from, to = append(from, mine[0]), append(to, mine[1])
	}
	d.nodePairs(from, to)
}

// accessPairs are accesses of one thing by two goroutines, one after the other, of which one isn't
// a read.
func (d *drawing) accessPairs() {
	ev := d.v.Events
	what := func(i int) (verb, of string) {
		verb, of, _ = strings.Cut(ev[i].Text, " ")
		of, _, _ = strings.Cut(of, " = ")
		return verb, of
	}
	for j := range ev {
		verb, of := what(j)
		for i := j - 1; i >= 0 && of != ""; i-- {
			before, same := what(i)
			if same != of || before == "read" && verb == "read" {
				continue
			}
			if ev[i].Lane != ev[j].Lane {
				d.v.Pairs = append(d.v.Pairs, pair{i, j, conflict})
			}
			break
		}
	}
}

// cycle draws the conflicts by which a transaction is not serializable.
func (d *drawing) cycle() {
	f := d.f
	if len(f.Transactions) > 0 {
		t := &f.Transactions[0]
		d.lane(goroutineName(t.Goroutine, t.Thread)) // is the first
	}
	of := make([][]int, max(1, len(f.Transactions)))
	for i := range f.Edges {
		e := &f.Edges[i]
		from, to := d.add(&e.From, ""), d.add(&e.To, "")
		kind := conflict
		if d.v.Events[from].Lane == d.v.Events[to].Lane {
			kind = order
		}
		d.v.Pairs = append(d.v.Pairs, pair{from, to, kind})
		of[i%len(of)] = append(of[i%len(of)], from)
		of[(i+1)%len(of)] = append(of[(i+1)%len(of)], to)
	}
	for i := range f.Transactions {
		if f.Transactions[i].Number != 0 && len(of[i]) > 0 {
			d.v.Bands = append(d.v.Bands, band{d.v.Events[of[i][0]].Lane, of[i],
				transactionName(&f.Transactions[i])})
		}
	}
	if f.Evidence != report.Predicted {
		if list := d.numbered(); list != nil {
			d.v.Charts = append(d.v.Charts, chart{Title: happened, Order: list})
			return
		}
	}
	d.beside("")
}

func transactionName(t *report.Transaction) string {
	if t.Name != "" {
		return shortWords(t.Name)
	}
	return "transaction"
}

// nodes draws what each goroutine holds and wants, or between what others can come.
func (d *drawing) nodes() {
	f := d.f
	var from, to []int
	for i := range f.Nodes {
		from = append(from, d.add(&f.Nodes[i].From, pick(f.Kind == report.Deadlock, "holds", "")))
	}
	for i := range f.Nodes {
		to = append(to, d.add(&f.Nodes[i].To, pick(f.Kind == report.Deadlock, "wants", "")))
	}
	d.nodePairs(from, to)
	d.beside("")
}

// nodePairs has who waits for whom in a deadlock.
func (d *drawing) nodePairs(from, to []int) {
	if d.f.Kind != report.Deadlock {
		return
	}
	for i := range from {
		d.v.Pairs = append(d.v.Pairs, pair{to[i], from[(i+1)%len(from)], waits})
		name := "holds the lock"
		if l := lockName(&d.f.Nodes[i].From); l != "" {
			name = "holds " + l
		} else if l := d.f.Nodes[i].Lock; l != "" && !d.f.Recorded {
			name = "holds " + l
		}
		d.v.Bands = append(d.v.Bands, band{d.v.Events[from[i]].Lane, []int{from[i], to[i]}, name})
	}
}

// sides draws the two sides of a race, and of a check-then-act race the check as well.
func (d *drawing) sides() {
	f := d.f
	act, other := &f.At, f.Previous
	if f.Act == "previous" {
		act, other = other, act
	}
	if f.Decided == nil {
		d.v.Pairs = append(d.v.Pairs, pair{d.add(f.Previous, ""), d.add(&f.At, ""), conflict})
		d.chart(happened, "")
		if f.Evidence == report.Race || f.Kind == report.DataRace {
			d.v.Charts = append(d.v.Charts, chart{Title: couldAsWell, Order: []int{1, 0},
				Note: nothingOrders})
		}
		return
	}
	check := d.add(f.Decided, "check")
	between := d.add(other, pick(f.Evidence == report.Race, "the other's check", "in between"))
	last := d.add(act, "act")
	d.v.Pairs = append(d.v.Pairs, pair{check, between, conflict}, pair{between, last, conflict})
	if f.Evidence == report.Race {
		d.v.Pairs = d.v.Pairs[1:] // two checks
	}
	d.v.Bands = append(d.v.Bands, band{d.v.Events[check].Lane, []int{check, last},
		"check and act"})
	d.beside("")
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
