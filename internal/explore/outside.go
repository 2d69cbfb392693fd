// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"strconv"
	"strings"
)

// A FileArrival is a goroutine that has come from outside: something there, such as input, has made
// it ready. Or it has left: it waits in a system call, and the token was given to others.
type FileArrival struct {
	Left      bool
	Turn      int // how often the token was given before
	Point     int // how many points the run had
	Goroutine string
	Name      uint64 // the engine's, of the goroutine
	// Number is, of one that has come, what the clock showed, in nanoseconds; of one that has left,
	// from how many system calls it was back since it got the token.
	Number int64
}

// String is the line of a file.
func (x FileArrival) String() string {
	return fmt.Sprintf("x %d %s %s %d %x %d", x.Point, x.Goroutine, x.word(), x.Turn, x.Name, x.Number)
}

func (x FileArrival) word() string {
	if x.Left {
		return "left"
	}
	return "came"
}

// readArrival reads a line of the run's log, which has numbers.
func (l *runLog) readArrival(left bool, u []uint64) {
	x := FileArrival{Left: left, Turn: int(u[0]), Point: int(u[1]), Name: u[2],
		Goroutine: l.name(uint32(u[3])), Number: int64(u[4])}
	l.arrivals = append(l.arrivals, x)
	kind := came
	if left {
		kind = gone
	}
	l.steps = append(l.steps, step{kind: kind, name: x.Goroutine})
}

// fromOutside says what has come from outside, for users; "" if nothing has.
func fromOutside(list []FileArrival) string {
	const most = 5
	var words []string
	for i, x := range list {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		what := "goroutine " + x.Goroutine
		if x.Left {
			what += " waited there"
		}
		words = append(words, what+" after "+count(x.Point, "point"))
	}
	if len(words) == 0 {
		return ""
	}
	return "from outside came " + strings.Join(words, ", ")
}

// arrival reads a line of a file after its first word.
func (p *fileParser) arrival(f *File) (x FileArrival) {
	x.Point = p.number("a number of points", 0)
	if n := len(f.Arrivals); n > 0 && x.Point < f.Arrivals[n-1].Point {
		p.fail("arrivals are not in order", mendKeep)
	}
	x.Goroutine = p.word("a goroutine")
	switch word := p.word("came or left"); word {
	case "came":
	case "left":
		x.Left = true
	default:
		p.fail(fmt.Sprintf("want came or left, and there is %q", word), mendKeep)
	}
	x.Turn = p.number("a number of turns", 0)
	if n := len(f.Arrivals); n > 0 && x.Turn < f.Arrivals[n-1].Turn {
		p.fail("arrivals are not in order", mendKeep)
	}
	word := p.word("a goroutine's number")
	name, err := strconv.ParseUint(word, 16, 64)
	if err != nil || strconv.FormatUint(name, 16) != word {
		p.fail(fmt.Sprintf("%q is no goroutine's number", word), mendKeep)
	}
	x.Name = name
	word = p.word("a clock, or a number of calls")
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != word {
		p.fail(fmt.Sprintf("%q is no number, from 0 on", word), mendKeep)
	}
	x.Number = n
	return x
}
