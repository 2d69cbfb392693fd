// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"github.com/commutego/commute/report"
)

// witness draws the order of a witness, and beside it the same events as they happened.
func (d *drawing) witness() {
	f, w := d.f, d.f.Witness
	if len(f.Transactions) > 0 {
		t := &f.Transactions[0]
		d.lane(goroutineName(t.Goroutine, t.Thread)) // is the first
	}
	from := max(0, len(w.Events)-mostEvents)
	for i := range w.Events[from:] {
		d.add(&w.Events[from+i], "")
	}
	for _, i := range w.Broken {
		if i >= from && i < len(w.Events) {
			if n, ok := d.known[w.Events[i].Number]; ok {
				d.v.Events[n].Broken = true
			}
		}
	}
	d.witnessPairs()
	d.minor()
	d.transactions()
	d.beside(programWords(f, f.Why))
	for i := range d.v.Charts {
		d.v.Charts[i].Left = from
		d.v.Charts[i].Links = d.links(d.v.Charts[i].Order)
	}
}

// witnessPairs has the conflicts of the cycle, or who waits for whom, of events in the witness.
// What it lacks of them is added: the acquires at which goroutines wait are not in their order.
func (d *drawing) witnessPairs() {
	f := d.f
	for i := range f.Edges {
		e := &f.Edges[i]
		if e.From.Thread == e.To.Thread {
			continue
		}
		a, ok := d.known[e.From.Number]
		b, ok2 := d.known[e.To.Number]
		if ok && ok2 {
			d.v.Pairs = append(d.v.Pairs, pair{a, b, conflict})
		}
	}
	if f.Kind != report.Deadlock {
		return
	}
	var from, to []int
	for i := range f.Nodes {
		from = append(from, d.add(&f.Nodes[i].From, "holds"))
	}
	for i := range f.Nodes {
		to = append(to, d.add(&f.Nodes[i].To, "wants"))
	}
	d.nodePairs(from, to)
}

// minor finds what has no part in the finding: neither in a conflict, nor at the ends of a
// transaction, nor of a lock that two goroutines take in this order.
func (d *drawing) minor() {
	lanes := make(map[string]map[int]bool) // that synchronize by a target
	for i, e := range d.from {
		if synchronizes(e) {
			if lanes[e.Target] == nil {
				lanes[e.Target] = make(map[int]bool)
			}
			lanes[e.Target][d.v.Events[i].Lane] = true
		}
	}
	takes := make(map[int]bool)
	for _, p := range d.v.Pairs {
		takes[p.From], takes[p.To] = true, true
	}
	for i, e := range d.from {
		if e.Op == "fork" || e.Op == "join" { // now all goroutines are known
			d.v.Events[i].Text = d.text(e)
		}
		switch {
		case takes[i], d.v.Events[i].Broken, d.v.Events[i].What != "":
		case e.Number == d.f.At.Number:
		case e.Op == "begin", e.Op == "end", e.Op == "fork", e.Op == "join":
		case synchronizes(e) && len(lanes[e.Target]) > 1:
		default:
			d.v.Events[i].Minor = true
		}
	}
}

// synchronizes reports whether an event takes a lock, or lets it go, or what is like that.
func synchronizes(e *report.Event) bool {
	return e != nil && (e.Op == "acquire" || e.Op == "release") && e.Target != ""
}

// transactions has a band for each transaction of the witness.
func (d *drawing) transactions() {
	open := make(map[int]int) // bands by lanes, and 1
	name := "transaction"
	for i, e := range d.from {
		l := d.v.Events[i].Lane
		if e.Op == "begin" && open[l] == 0 {
			name = "transaction"
			for k := range d.f.Transactions {
				t := &d.f.Transactions[k]
				if t.Thread == e.Thread && t.First == e.Number {
					name = transactionName(t)
				}
			}
			d.v.Bands = append(d.v.Bands, band{Lane: l, Name: name})
			open[l] = len(d.v.Bands)
		}
		if n := open[l]; n > 0 {
			d.v.Bands[n-1].Events = append(d.v.Bands[n-1].Events, i)
		}
		if e.Op == "end" {
			open[l] = 0
		}
	}
	for i := range d.v.Bands { // the ends are enough
		if e := d.v.Bands[i].Events; len(e) > 2 {
			d.v.Bands[i].Events = []int{e[0], e[len(e)-1]}
		}
	}
}

// links are, in an order, each release of a lock and the acquire by another goroutine that comes
// next, and each go statement and what the goroutine does first.
func (d *drawing) links(list []int) (links [][2]int) {
	last := make(map[string]int)    // the release of a target, and 1
	started := make(map[string]int) // the go statement of a thread, and 1
	for _, i := range list {
		e := d.from[i]
		if n := started[e.Thread]; n > 0 {
			links = append(links, [2]int{n - 1, i})
			delete(started, e.Thread)
		}
		if e.Op == "fork" {
			started[e.Target] = i + 1
		}
		if !synchronizes(e) {
			continue
		}
		if e.Op == "release" {
			last[e.Target] = i + 1
			continue
		}
		if n := last[e.Target]; n > 0 && d.v.Events[n-1].Lane != d.v.Events[i].Lane {
			links = append(links, [2]int{n - 1, i})
		}
		delete(last, e.Target)
	}
	return links
}
