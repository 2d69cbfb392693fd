// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"regexp"
	"strings"
)

// Lines of interleavings and excerpts: "hosts.go:20  Store(1)", "hosts.go:20 | hosts.Store(1)", and
// "7: hosts.go:20  write at 0x10" where there are more than two goroutines.
var (
	stepLine   = regexp.MustCompile(`^(?:(\w+): )?(?:([^\s:][^:]*:\d+)  )?(.*)$`)
	sourceText = regexp.MustCompile(`^  ([^\s:][^:]*:\d+) *\| (.*)$`)
)

// steps reads the interleaving that follows the headline, if there is one: the lines of the first
// goroutine are on the left, and those of others begin in the right column.
func (p *parser) steps() {
	if len(p.lines) == 0 || !strings.HasPrefix(p.lines[0], "  goroutine ") {
		return
	}
	left, right, ok := strings.Cut(strings.TrimSpace(p.next()), "  ")
	others := strings.Split(strings.TrimSpace(right), ", ")
	for len(p.lines) > 0 {
		line := p.next()
		if line == "" {
			return
		}
		mine := !strings.HasPrefix(line, strings.Repeat(" ", column))
		m := stepLine.FindStringSubmatch(strings.TrimSpace(line))
		if !ok || m == nil || m[3] == "begin" && mine {
			continue
		}
		s := Step{Goroutine: left, At: m[2], Does: m[3]}
		switch {
		case mine:
		case m[1] != "":
			s.Goroutine = "goroutine " + m[1]
		default:
			s.Goroutine = others[0]
		}
		p.f.Steps = append(p.f.Steps, s)
	}
}

// source reads the lines of the program that follow the interleaving.
func (p *parser) source() {
	for len(p.lines) > 0 {
		m := sourceText.FindStringSubmatch(p.lines[0])
		if m == nil {
			break
		}
		p.f.Source = append(p.f.Source, SourceLine{At: m[1], Text: m[2]})
		p.next()
	}
	if len(p.f.Source) > 0 && len(p.lines) > 0 && p.lines[0] == "" {
		p.next()
	}
}

// describeAccesses says of a data race what other reports have in their heads.
func (p *parser) describeAccesses() {
	f := p.f
	if f.Previous == nil {
		return
	}
	of := "the same memory"
	if f.Object != nil && f.Object.Name != "" {
		of = f.Object.Name
	}
	first, second := verbOf(f.Previous), verbOf(&f.At)
	f.Headline = fmt.Sprintf("goroutine %s %s and goroutine %s %s %s, and nothing orders the two",
		f.Previous.Thread, first, f.At.Thread, second, of)
	if first == second {
		f.Headline = fmt.Sprintf("goroutine %s and goroutine %s both write %s, and nothing orders "+
			"the two", f.Previous.Thread, f.At.Thread, of)
	}
	for _, e := range []*Event{f.Previous, &f.At} {
		f.Steps = append(f.Steps, Step{Goroutine: "goroutine " + e.Thread, At: e.At,
			Does: e.Op + " " + of})
	}
}

// verbOf is what an access does, in a sentence.
func verbOf(e *Event) string {
	if e.Op == "write" {
		return "writes"
	}
	return "reads"
}

// describeLocks says of a deadlock which locks are taken in which order: all take one first.
func (p *parser) describeLocks() {
	f := p.f
	for _, wants := range []bool{false, true} {
		for i := range f.Nodes {
			e, word := &f.Nodes[i].From, "takes "
			if wants {
				e, word = &f.Nodes[i].To, "waits for "
			}
			if e.Thread != "" {
				f.Steps = append(f.Steps, Step{Goroutine: "goroutine " + e.Thread, At: e.At,
					Does: word + e.Did})
			}
		}
	}
}
