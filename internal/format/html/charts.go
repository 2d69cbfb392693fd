// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// mostEvents is how many events of an order are shown at most: the last ones.
const mostEvents = 400

// A drawing is charts in the making.
type drawing struct {
	m     *maker
	v     *finding
	f     *report.Finding
	lanes map[string]int
	known map[uint64]int  // events by their number in the trace
	from  []*report.Event // of each event; nil if it is a step without one
}

// charts adds lanes, events and their orders.
func (m *maker) charts(v *finding, f *report.Finding) {
	d := &drawing{m: m, v: v, f: f, lanes: make(map[string]int), known: make(map[uint64]int)}
	switch {
	case f.Evidence == report.Static:
		return
	case len(f.Steps) > 0 && f.At.Number == 0: // else it is of a trace, which has more
		d.steps()
	case f.Witness != nil && len(f.Witness.Events) > 0:
		d.witness()
	case len(f.Edges) > 0:
		d.cycle()
	case len(f.Nodes) > 0:
		d.nodes()
	case f.Previous != nil:
		d.sides()
	case f.At.Op != "":
		d.add(&f.At, "")
		d.chart(happened, "the conflict that closes the cycle")
	}
	d.origins()
}

// Titles of charts.
const (
	happened      = "What happened"
	could         = "What could happen"
	couldAsWell   = "What could happen as well"
	oneOrder      = "An order in which it happens"
	nothingOrders = "nothing orders the two"
)

// lane is the lane of a goroutine, which is new or not.
func (d *drawing) lane(name string) int {
	name = strings.TrimPrefix(name, "the ")
	i, ok := d.lanes[name]
	if !ok {
		i = len(d.v.Lanes)
		d.lanes[name] = i
		d.v.Lanes = append(d.v.Lanes, lane{Name: name})
	}
	return i
}

// add adds an event, if it isn't there yet, and returns its index.
func (d *drawing) add(e *report.Event, what string) int {
	if i, ok := d.known[e.Number]; ok && e.Number != 0 {
		if d.v.Events[i].What == "" {
			d.v.Events[i].What = what
		}
		return i
	}
	x := event{Lane: d.lane(goroutine(e)), Text: d.text(e), Number: e.Number,
		Stack: d.m.stack(e.Stack), What: what}
	if o := own(e.Stack); o != nil {
		x.Place = fmt.Sprintf("%s:%d", path.Base(o.File), o.Line)
		x.Func = shortWords(o.Func)
	} else if e.At != "" && e.At != "0" && e.At != "pos 0" {
		x.Place = "at " + e.At // a position, in whatever way the trace counts
		if d.f.Recorded {
			x.Place = path.Base(strings.Trim(e.At[strings.LastIndexByte(e.At, ' ')+1:], "()"))
		}
	}
	if e.Address != "" {
		x.More = "address " + e.Address
	}
	if e.Point != "" {
		x.More = strings.TrimPrefix(x.More+", access point "+e.Point, ", ")
	}
	return d.append(x, e)
}

func (d *drawing) append(x event, e *report.Event) int {
	i := len(d.v.Events)
	if x.Number != 0 {
		d.known[x.Number] = i
	}
	d.v.Events = append(d.v.Events, x)
	d.from = append(d.from, e)
	return i
}

// text is what an event does, and to what.
func (d *drawing) text(e *report.Event) string {
	if s := d.f.Sections; s != nil {
		for _, side := range []struct {
			e *report.Event
			t *report.Touch
		}{{d.f.Decided, &s.Check}, {&d.f.At, &s.Act}, {d.f.Previous, &s.Other}} {
			if side.e == e {
				return touchWords(side.t)
			}
		}
	}
	what := did(e)
	if e.Method != "" {
		key := ""
		if o := d.f.Object; o != nil {
			key = o.Key
		}
		return fmt.Sprintf("%s(%s)", e.Method, key)
	}
	if e.Op == "fork" || e.Op == "join" {
		if i := slices.IndexFunc(d.from, func(o *report.Event) bool {
			return o != nil && o.Thread == e.Target
		}); i >= 0 {
			return what + ": " + d.v.Lanes[d.v.Events[i].Lane].Name
		}
	}
	if name := operand(e); name != "" && !strings.Contains(what, name) {
		what += " " + name
	}
	return shortAddresses(what)
}

// longAddress is an address, but for its last digits.
var longAddress = regexp.MustCompile(`\b0x[0-9a-f]{2,}([0-9a-f]{5})\b`)

// shortAddresses is text with addresses without the digits in their middle. The box beside an
// event has them whole.
func shortAddresses(text string) string { return longAddress.ReplaceAllString(text, "0x…$1") }

// touchWords is an access to what a lock guards, with the values that are known.
func touchWords(t *report.Touch) string {
	text := t.Does + " " + t.Of
	switch {
	case t.Does == "delete":
	case t.Absent:
		text += " is absent"
	case t.Value != "":
		text += " = " + t.Value
	}
	if t.Was != "" {
		text += " (was " + t.Was + ")"
	}
	return text
}

// chart adds a chart of all events in their order.
func (d *drawing) chart(title, note string) {
	list := make([]int, len(d.v.Events))
	for i := range list {
		list[i] = i
	}
	d.v.Charts = append(d.v.Charts, chart{Title: title, Note: note, Order: list})
}

// numbered are all events in the order of the trace, nil if that isn't known.
func (d *drawing) numbered() []int {
	list := make([]int, len(d.v.Events))
	for i := range list {
		if d.v.Events[i].Number == 0 {
			return nil
		}
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return compare(d.v.Events[a].Number, d.v.Events[b].Number)
	})
	return list
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// beside adds what happened, and beside it what could, which is the order that the events are in.
func (d *drawing) beside(why string) {
	was := d.numbered()
	if was == nil || slices.IsSorted(was) {
		title := could
		if was != nil && d.f.Evidence == report.Observed {
			title = happened
		}
		d.chart(title, why)
		return
	}
	d.v.Charts = append(d.v.Charts, chart{Title: happened, Order: was,
		Note: "the order in this run"})
	d.chart(could, why)
	d.v.Charts[1].Moved = moved(d.v.Charts[0].Order, d.v.Charts[1].Order)
}

// moved are the events that are elsewhere in an order than in another one: the others are in the
// same order in both, and they are as many as possible. It takes time n log n.
func moved(was, now []int) (list []int) {
	at := make(map[int]int, len(was))
	for i, e := range was {
		at[e] = i
	}
	var tails []int // indexes in now: the ends of the best runs of each length
	before := make([]int, len(now))
	for i, e := range now {
		n, _ := slices.BinarySearchFunc(tails, at[e], func(t, p int) int { return at[now[t]] - p })
		before[i] = -1
		if n > 0 {
			before[i] = tails[n-1]
		}
		tails = append(tails[:n], append([]int{i}, tails[min(n+1, len(tails)):]...)...)
	}
	stay := make([]bool, len(now))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			stay[i] = true
		}
	}
	for i, e := range now {
		if !stay[i] {
			list = append(list, e)
		}
	}
	return list
}

// origins notes who started the goroutines of the lanes.
func (d *drawing) origins() {
	for i := range d.f.Goroutines {
		g := &d.f.Goroutines[i]
		n, ok := d.lanes[goroutineName(g.ID, g.Thread)]
		if !ok {
			if n, ok = d.lanes["main goroutine"]; !ok || !g.Main {
				continue
			}
		}
		l := &d.v.Lanes[n]
		l.Stack = d.m.stack(g.Stack)
		switch {
		case g.Main:
			l.Note = "the main goroutine"
		case g.ByTimer:
			l.Note = "started by a timer"
		case g.Creator != 0:
			l.Note = fmt.Sprintf("started by goroutine %d", g.Creator)
		}
		if o := own(g.Stack); o != nil {
			at := fmt.Sprintf("at %s:%d", path.Base(o.File), o.Line)
			l.Note = strings.TrimSpace(strings.TrimSpace(l.Note+" ") + " " + at)
			if g.Creator == 0 && !g.Main && !g.ByTimer {
				l.Note = "started " + at
			}
		}
	}
}
