// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A report says where a goroutine could be interfered with, and by what. Runs are directed by these
// stacks: the goroutine is stopped where it is about to go on, until the other one has come.

// A callStack is a stack in a report.
type callStack struct {
	head      string // the line before it
	goroutine string // whose it is, "" if that is not said
	frames    []frame
}

// A frame is a function that the program calls, and where it is.
type frame struct {
	fn, place string // the place is the file and the line
}

// A detour is a place at which a goroutine is to be held, and the one that another is to come to.
type detour struct{ hold, until callStack }

var byGoroutine = regexp.MustCompile(`(?i)\bgoroutine (\d+)\b`)

// stacks are those of a report but for where goroutines were created, without the frames of package
// sync.
func (r Report) stacks() (list []callStack) {
	lines := strings.Split(string(r.Text), "\n")
	goroutine := ""
	for i := 0; i < len(lines); i++ {
		head := lines[i]
		if m := byGoroutine.FindStringSubmatch(head); m != nil {
			goroutine = m[1]
		}
		if !isHead(lines, i) {
			continue
		}
		s := callStack{head: strings.TrimSpace(head), goroutine: goroutine}
		for i++; isFrame(lines, i); i += 2 {
			fn := strings.TrimSuffix(strings.TrimSpace(lines[i]), "()")
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			if !strings.HasPrefix(fn, "sync.") && !strings.HasPrefix(fn, "internal/sync.") {
				s.frames = append(s.frames, frame{fn, place})
			}
		}
		i--
		if !strings.Contains(head, " created by ") && !strings.Contains(head, " allocated at") {
			list = append(list, s)
		}
	}
	return list
}

// isHead reports whether a stack follows a line, which is of none.
func isHead(lines []string, i int) bool {
	return strings.HasSuffix(lines[i], ":") && isFrame(lines, i+1)
}

// isFrame reports whether two lines are a function and its place.
func isFrame(lines []string, i int) bool {
	return i+1 < len(lines) && strings.HasPrefix(lines[i], "  ") &&
		strings.HasSuffix(lines[i], ")") && strings.HasPrefix(lines[i+1], "      ")
}

// detours are where goroutines are to be held, until others have come, so that what a report says
// happens.
func (r Report) detours() (list []detour) {
	stacks := r.stacks()
	switch r.Kind {
	case kindViolation, kindCheckAct, kindCalls:
		if len(stacks) == 0 {
			return nil
		}
		hold := max(0, slices.IndexFunc(stacks, func(s callStack) bool {
			return strings.HasPrefix(s.head, "Act: ")
		}))
		if r.Kind == kindViolation {
			hold = len(stacks) - 1 // the last access of the function that is not atomic
		}
		for i, s := range stacks {
			if i != hold && s.goroutine != stacks[hold].goroutine {
				list = append(list, detour{stacks[hold], s})
			}
		}
		if r.Kind == kindCalls { // either may be the one to be held
			for _, d := range slices.Clone(list) {
				list = append(list, detour{d.until, d.hold})
			}
		}
	case kindDeadlock:
		for _, s := range stacks {
			for _, o := range stacks {
				if strings.HasPrefix(s.head, "and wants ") && s.goroutine != o.goroutine &&
					strings.Contains(o.head, ", taken at") {
					list = append(list, detour{s, o})
				}
			}
		}
	}
	return list
}

// site is the operation of a run that an access comes after, by its stack: in the innermost
// function that makes operations, the last one that is not below the access. It reports whether
// there is one.
func (s callStack) site(l *runLog) (best step, ok bool) {
	for _, f := range s.frames {
		file, line := cutPlace(f.place)
		for _, p := range l.steps {
			if p.kind == about && p.op != engine.Go && p.at.file == file && p.at.fn == f.fn &&
				p.at.line <= line && p.at.line >= best.at.line {
				best, ok = p, true
			}
		}
		if ok {
			break
		}
	}
	return best, ok
}

// triesOfPair is how many runs of policy Pair there are for each two places.
const triesOfPair = 4

// directed are the runs that a report asks for, by the run by default. First come those with one
// forced switch, at a decision where a goroutine is about to go on that is to be held, and then
// those of policy Pair.
func (r Report) directed(first *run, base uint64, test string) (forced, pairs []Seed) {
	var orders []engine.Force
	var holds []place
	for _, d := range r.detours() {
		hold, ok := d.hold.site(first.log)
		if !ok {
			continue
		}
		holds = append(holds, hold.at)
		until, ok := d.until.site(first.log)
		p := engine.Force{Decision: hold.short(), Choice: until.short()}
		if ok && !slices.Contains(orders, p) {
			orders = append(orders, p)
		}
	}
	at := first.log.decisionsAt(holds)
	for i, c := range first.choices {
		for n := range c.candidates {
			if n != c.usual && at[i+1] {
				forced = append(forced, Seed{Policy: engine.Forced,
					Forces: []engine.Force{{Decision: uint32(i + 1), Choice: uint32(n)}}})
			}
		}
	}
	for i := range triesOfPair {
		for k, p := range orders {
			s := drawn(base, test, i*len(orders)+k)
			s.Policy, s.Forces = engine.Pair, []engine.Force{p}
			pairs = append(pairs, s)
		}
	}
	return forced, pairs
}

// short is the number by which policy Pair knows the operation of a step.
func (s step) short() uint32 {
	return engine.SiteAt(s.at.fn, filepath.Base(s.at.file), s.at.line, s.op).Short()
}

// decisionsAt are the decisions at which who has the token is about to make an operation at one of
// some places.
func (l *runLog) decisionsAt(places []place) map[int]bool {
	list := make(map[int]bool)
	ready := make(map[string]place)
	for _, s := range l.steps {
		switch s.kind {
		case about:
			ready[s.name] = s.at
		case chosen:
			if s.decision != 0 && s.from != "" && slices.Contains(places, ready[s.from]) {
				list[s.decision] = true
			}
		}
	}
	return list
}
