// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A FileArrival records how a goroutine depends on events from outside. It has come: an event such
// as input has made it ready. Or it has left: it waits in a system call, and the token was given to
// others. Or it has asked for input, and waits for the input.
type FileArrival struct {
	How       How
	Turn      int // how often the token was given before
	Point     int // how many points the run had
	Goroutine string
	Name      uint64 // the engine's, of the goroutine
	// Number depends on How. For Came it is the time that the clock showed, in nanoseconds. For
	// Left it is the number of system calls from which the goroutine has returned since it got the
	// token. For Asked it is the number of times that the goroutine has asked.
	Number int64
}

// A How is the kind of a [FileArrival].
type How uint8

// The kinds of a FileArrival.
const (
	Came How = iota
	Left
	Asked
)

var hows = [...]struct{ word, log, spec string }{{"came", "a", "c"}, {"left", "y", "l"},
	{"asked", "z", "i"}}

// howOf is that of a line of the log, which begins with a word.
func howOf(log string) (h How, ok bool) {
	for i, k := range hows {
		if k.log == log {
			return How(i), true
		}
	}
	return 0, false
}

// String is the line of a file.
func (x FileArrival) String() string {
	return fmt.Sprintf("x %d %s %s %d %x %d", x.Point, x.Goroutine, x.word(), x.Turn, x.Name,
		x.Number)
}

func (x FileArrival) word() string { return hows[x.How].word }

// mostTold is how long the text is that tells a program what comes from outside, in bytes: more
// does not fit into an environment variable.
const mostTold = 40_000

// tellArrivals is what comes from outside as a program reads it, after its seed. More says that the
// list is not all of it.
func tellArrivals(list []FileArrival, more bool) string {
	var words []string
	length := 0
	for _, x := range list {
		word := fmt.Sprintf("%s%x.%x.%x", hows[x.How].spec, x.Turn, x.Name, x.Number)
		if length += len(word) + 1; length > mostTold {
			more = true
			break
		}
		words = append(words, word)
	}
	if more {
		words = append(words, "m")
	}
	return "@" + strings.Join(words, "-")
}

// A parting is where a run has parted from what it was told to come from outside, and why.
type parting struct {
	why       engine.Why
	point     int
	index     int    // of what was to come next
	goroutine string // that has come, or left; "" for none
}

// text says why, for users. The list is what was to come.
func (p *parting) text(list []FileArrival) string {
	want := "more"
	if p.index < len(list) {
		want = "goroutine " + list[p.index].Goroutine
	}
	text := ""
	switch p.why {
	case engine.NotCome:
		text = want + " was to come from outside, and has not come for 5 seconds"
		if p.goroutine != "" {
			text += "; goroutine " + p.goroutine + " has"
		}
	case engine.NotLeft:
		text = want + " was to wait for something outside, and has not"
	case engine.Passed:
		text = want + " was to come from outside, and was not waited for, as others could run"
	case engine.Unexpected:
		text = "goroutine " + p.goroutine + " has come from outside, and was not to come"
	case engine.Stays:
		text = "goroutine " + p.goroutine + " has waited for something outside for 5 seconds, " +
			"and was not to wait"
	}
	return "after " + count(p.point, "point") + " " + text
}

// readArrival reads a line of the run's log, which has numbers.
func (l *runLog) readArrival(how How, u []uint64) {
	x := FileArrival{How: how, Turn: int(u[0]), Point: int(u[1]), Name: u[2],
		Goroutine: l.name(uint32(u[3])), Number: int64(u[4])}
	l.arrivals = append(l.arrivals, x)
	l.steps = append(l.steps, step{kind: outside, name: x.Goroutine})
}

// fromOutside says what has come from outside, for users; "" if nothing has.
func fromOutside(list []FileArrival) string {
	const most = 5
	var words []string
	list = slices.DeleteFunc(slices.Clone(list), func(x FileArrival) bool { return x.How == Asked })
	for i, x := range list {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		what := "goroutine " + x.Goroutine
		if x.How == Left {
			what += " waited there"
		}
		words = append(words, what+" after "+count(x.Point, "point"))
	}
	if len(words) == 0 {
		return ""
	}
	return "from outside came " + strings.Join(words, ", ")
}

// outside says what has come from outside in a run, and where that has parted from what was to
// come; "" if nothing has.
func (r *run) outside(want []FileArrival) (text string) {
	if r.log == nil {
		return ""
	}
	if p := r.log.parting; p != nil {
		text = "; " + p.text(want)
	}
	if from := fromOutside(r.log.arrivals); from != "" {
		text += "; " + from
	}
	return text
}

// arrival reads a line of a file after its first word.
func (p *fileParser) arrival(f *File) (x FileArrival) {
	x.Point = p.number("a number of points", 0)
	if n := len(f.Arrivals); n > 0 && x.Point < f.Arrivals[n-1].Point {
		p.fail("arrivals are not in order", mendKeep)
	}
	x.Goroutine = p.word("a goroutine")
	word := p.word("came, left or asked")
	how := slices.IndexFunc(hows[:], func(h struct{ word, log, spec string }) bool {
		return h.word == word
	})
	if how < 0 {
		p.fail(fmt.Sprintf("want came, left or asked, and there is %q", word), mendKeep)
	}
	x.How = How(max(0, how))
	x.Turn = p.number("a number of turns", 0)
	if n := len(f.Arrivals); n > 0 && x.Turn < f.Arrivals[n-1].Turn {
		p.fail("arrivals are not in order", mendKeep)
	}
	word = p.word("a goroutine's number")
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
