// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The heads of stacks in reports.
var (
	// "Store(key: 1) by goroutine 7 in bank.Move:"; a value may have the same words
	sideHead = regexp.MustCompile(`^(.*) by (main goroutine|goroutine [\w]+)(?: in .*|, .*)?:?$`)

	// "Goroutine 7 (finished) created by goroutine 1 at:"
	originHead = regexp.MustCompile(`^Goroutine (\w+)(?: \(\w+\))?(?: (is the main goroutine)|` +
		`(?: was)? created (?:by (?:goroutine (\w+)|(a timer).*))?(?: ?at:)?)$`)

	// "Goroutine 7 holds lock A (bank.mu), taken at:", "  and wants lock B at:"
	lockHead = regexp.MustCompile(
		`^(?:Goroutine (\w+)|  and) (holds|wants) lock (\w)(?: \((.*)\))?( for reading)?` +
			`(?:, taken)? at:$`)

	// "Goroutine 7 waits to send to a channel at:"
	waitHead = regexp.MustCompile(`^Goroutine (\w+) (waits .*) at:$`)
)

// event reads the head of a stack, and the stack.
func (p *parser) event(head string) {
	f := p.f
	if m := lockHead.FindStringSubmatch(head); m != nil && f.Kind == Deadlock {
		p.lock(m[1], m[2] == "wants", m[3], m[4], m[5])
		return
	}
	if m := waitHead.FindStringSubmatch(head); m != nil && f.Kind == LeakedGoroutine {
		f.At = p.side(m[2], m[1])
		f.At.Op = "wait"
		return
	}
	if m := originHead.FindStringSubmatch(head); m != nil {
		g := Goroutine{Thread: m[1], Main: m[2] != "", ByTimer: m[4] != ""}
		g.ID, _ = strconv.ParseUint(m[1], 10, 64)
		g.Creator, _ = strconv.ParseUint(m[3], 10, 64)
		g.Stack = p.stack()
		f.Goroutines = append(f.Goroutines, g)
		return
	}
	m := sideHead.FindStringSubmatch(strings.TrimPrefix(head, "  came before: "))
	if m == nil {
		p.stack() // of a block of memory
		return
	}
	word, what := cutWord(m[1])
	e := p.side(what, m[2])
	switch {
	case strings.HasPrefix(head, "  came before"):
		if n := len(f.Edges); n > 0 {
			f.Edges[n-1].To = e
		}
	case strings.HasPrefix(word, "Conflict"):
		f.Edges = append(f.Edges, Edge{From: e})
	case word == "Check", word == "First":
		f.Decided = &e
	case word == "Act":
		f.At, f.Act = e, "at"
	case word == "In between", word == "The other's check", word == "Previous":
		f.Previous = &e
	default:
		f.At = e
	}
}

// cutWord splits the word at the head of a side from what was done: "Check", `Load("a")`.
func cutWord(head string) (word, what string) {
	if what, ok := strings.CutPrefix(head, "Previous "); ok {
		return "Previous", what
	}
	for _, w := range []string{"Check", "First", "Act", "In between", "The other's check"} {
		if what, ok := strings.CutPrefix(head, w+": "); ok {
			return w, what
		}
	}
	if strings.HasPrefix(head, "Conflict ") {
		word, what, _ = strings.Cut(head, ": ")
		return word, what
	}
	return "", head
}

// side is an event by what was done and by whom, with the stack that follows.
func (p *parser) side(what, by string) (e Event) {
	e.Thread = strings.TrimPrefix(by, "goroutine ")
	if by == "main goroutine" {
		e.Thread = "1"
	}
	e.Goroutine, _ = strconv.ParseUint(e.Thread, 10, 64)
	e.Stack = p.stack()
	e.At = programPlace(e.Stack)
	e.Did = what
	if did, address, ok := cutLast(what, " at 0x"); ok {
		e.Did, e.Address = did, "0x"+address
	}
	e.Op = strings.ToLower(e.Did)
	switch call, isCall := strings.CutPrefix(e.Did, "call of "); {
	case isCall:
		e.Op, e.Method = "call", call
	case p.f.Kind == CommutativityRace || p.f.Kind == CheckThenActRace && !p.isSections():
		e.Op = "call"
		e.Method, _, _ = strings.Cut(what, "(")
	case p.f.Kind == CheckThenActRace:
		e.Op = "access"
	}
	return e
}

// cutLast is strings.Cut at the last place of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// stack reads the frames that follow, innermost first.
func (p *parser) stack() (list []Frame) {
	for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], "  ") {
		if strings.HasPrefix(p.lines[0], "  and wants ") ||
			strings.HasPrefix(p.lines[0], "  came before") ||
			strings.HasPrefix(p.lines[0], "          ") {
			return list
		}
		name := strings.TrimSpace(p.next())
		if !strings.HasSuffix(name, "()") || len(p.lines) == 0 ||
			!strings.HasPrefix(p.lines[0], "      ") {
			continue // no stack, frames that are left out, other locks
		}
		list = append(list, p.frame(strings.TrimSuffix(name, "()"), p.next()))
	}
	return list
}

// frame is a frame by its function, and by the line with its place.
func (p *parser) frame(name, place string) Frame {
	place = strings.TrimSpace(place)
	if i := strings.LastIndex(place, " +0x"); i >= 0 {
		place = place[:i]
	}
	file, number, _ := cutLast(place, ":")
	line, _ := strconv.ParseUint(number, 10, 32)
	f := Frame{Func: name, File: file, Line: uint32(line)}
	if key := fmt.Sprintf("%s:%d", filepath.Base(file), line); p.full[key] == "" {
		p.full[key] = place
	}
	return f
}

// programPlace is the place of the innermost frame that is not the library's.
func programPlace(stack []Frame) string {
	if f := programFrame(stack); f != nil {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return ""
}

// lock reads what one goroutine of a deadlock holds, or wants.
func (p *parser) lock(goroutine string, wants bool, letter, name, reading string) {
	e := Event{Op: "acquire", Target: letter, Did: "lock " + letter}
	if name != "" {
		e.Did += " (" + name + ")"
	}
	e.Did += reading
	e.Stack = p.stack()
	e.At = programPlace(e.Stack)
	f := p.f
	if goroutine != "" {
		e.Thread = goroutine
		f.Nodes = append(f.Nodes, Node{})
	}
	n := len(f.Nodes)
	if n == 0 {
		return
	}
	node := &f.Nodes[n-1]
	if goroutine == "" {
		e.Thread = node.From.Thread
	}
	e.Goroutine, _ = strconv.ParseUint(e.Thread, 10, 64)
	if wants {
		node.To = e
		f.At = e
	} else {
		node.From, node.Lock = e, letter
	}
}
