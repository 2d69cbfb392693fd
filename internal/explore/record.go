// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A seed alone has nothing to compare a replay with. So what has happened in a run that is reported
// is kept in the user's cache: without it, the run is made twice, and the two are compared.

// mostEvents is how many events of a run are kept.
const mostEvents = 20_000

// A record is what is kept of a run that was reported.
type record struct {
	build  string // the hash of the test binary
	hash   string // of the run
	points int
	events []event // the first ones
	whole  bool    // these are all
}

// An event is what replays are compared by: a goroutine is about to make an operation, or comes
// from outside, or waits there.
type event struct {
	stand   Stand
	object  int
	arrival *FileArrival // nil for an operation
}

// text is the event, for users.
func (e event) text() string {
	switch {
	case e.arrival == nil:
		return e.stand.text()
	case e.arrival.How == Left:
		return "goroutine " + e.stand.Goroutine + " waits outside of the program"
	case e.arrival.How == Asked:
		return "goroutine " + e.stand.Goroutine + " waits for input"
	}
	return "goroutine " + e.stand.Goroutine + " from outside"
}

// same reports whether two events are the same one.
func (e event) same(o event) bool {
	if e.arrival != nil && o.arrival != nil {
		return e.arrival.How == o.arrival.How && e.stand.Goroutine == o.stand.Goroutine
	}
	return e.arrival == nil && o.arrival == nil && e.stand == o.stand && e.object == o.object
}

// events are those of a run, with places as seen from a folder.
func (l *runLog) events(dir string) (list []event) {
	arrivals := 0
	for _, s := range l.steps {
		switch s.kind {
		case about:
			list = append(list, event{stand: Stand{s.name, placeIn(dir, s.at),
				fileWord(s.op.String())}, object: s.object})
		case outside:
			list = append(list, event{stand: Stand{s.name, "-", "-"},
				arrival: &l.arrivals[arrivals]})
			arrivals++
		}
	}
	return list
}

// recordOf is the record of a run; nil if nothing is known of it.
func recordOf(r *run, build, dir string) *record {
	if r.log == nil || !r.ended {
		return nil
	}
	c := &record{build: build, hash: r.hash, points: r.points, events: r.log.events(dir),
		whole: !r.log.cut}
	if len(c.events) > mostEvents {
		c.events, c.whole = c.events[:mostEvents], false
	}
	return c
}

// arrivals are those of the record.
func (c *record) arrivals() (list []FileArrival) {
	for _, e := range c.events {
		if e.arrival != nil {
			list = append(list, *e.arrival)
		}
	}
	return list
}

// parts compares the run of the record with another one. It is the index of the first event in
// which they differ, -1 if there is none; of two runs that differ only later than the records go it
// is how long these are.
func (c *record) parts(o *record) int {
	n := min(len(c.events), len(o.events))
	for i := range n {
		if !c.events[i].same(o.events[i]) {
			return i
		}
	}
	if len(c.events) != len(o.events) && c.whole && o.whole || c.hash != o.hash {
		return n
	}
	return -1
}

// differs says where another run parts from that of the record, with words for each of the two. It
// is "" if it does not.
func (c *record) differs(o *record, one, other string) string {
	i := c.parts(o)
	if i < 0 {
		return ""
	}
	at := func(c *record) string {
		switch {
		case i < len(c.events):
			return c.events[i].text()
		case c.whole:
			return "the end"
		}
		return "what is not known"
	}
	text := fmt.Sprintf("event %d, after %s that %s the same: %s %s, %s %s", i+1, count(i, "event"),
		isOrAre(i), one, at(c), other, at(o))
	if i < min(len(c.events), len(o.events)) {
		a, b := c.events[i], o.events[i]
		if a.arrival == nil && b.arrival == nil && a.stand == b.stand {
			text += ", of another object"
		}
	} else if len(c.events) == len(o.events) {
		text = fmt.Sprintf("%s are the same, and another goroutine has gone on after one of them",
			count(i, "event"))
	}
	before := &record{events: o.events[:min(i+1, len(o.events))]}
	if from := fromOutside(before.arrivals()); from != "" {
		text += "; until then " + from
	}
	return text
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// String is the text of a record: a header, and a line for each event.
//
//	commute-replay 1 <build> points <n> hash <hash> <whole or cut>
//	e <object> <goroutine> <place> <kind>
//	x ...  of a [FileArrival]
//	end
func (c *record) String() string {
	var b strings.Builder
	whole := "cut"
	if c.whole {
		whole = "whole"
	}
	fmt.Fprintf(&b, "commute-replay 1 %s points %d hash %s %s\n", c.build, c.points, c.hash, whole)
	for _, e := range c.events {
		if e.arrival != nil {
			fmt.Fprintln(&b, e.arrival)
		} else {
			fmt.Fprintf(&b, "e %d %v\n", e.object, e.stand)
		}
	}
	b.WriteString("end\n")
	return b.String()
}

// parseRecord reads the text of a record. It reports whether that is one: what is not is as if it
// were not there.
func parseRecord(text string) (c *record, ok bool) {
	header, rest, _ := strings.Cut(text, "\n")
	f := strings.Fields(header)
	if len(f) != 8 || f[0] != "commute-replay" || f[1] != "1" {
		return nil, false
	}
	points, err := strconv.Atoi(f[4])
	c = &record{build: f[2], points: points, hash: f[6], whole: f[7] == "whole"}
	for line := range strings.Lines(rest) {
		word, after, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "end":
			return c, err == nil
		case "x":
			p := &fileParser{text: after}
			x := p.arrival(new(File))
			if p.err != nil {
				return nil, false
			}
			c.events = append(c.events, event{stand: Stand{x.Goroutine, "-", "-"}, arrival: &x})
		default:
			f := strings.Fields(after)
			if len(f) != 4 {
				return nil, false
			}
			object, e := strconv.Atoi(f[0])
			err = cmp.Or(err, e)
			c.events = append(c.events, event{stand: Stand{f[1], f[2], f[3]}, object: object})
		}
	}
	return nil, false
}
