// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import (
	"regexp"
	"testing"

	"github.com/commutego/commute/analyzer/section"
	"pgregory.net/rapid"
)

// letters are movers as letters: both-movers, right-movers, left-movers, non-movers, and what
// splits.
const letters = "BRLNS"

var movers = map[byte]section.Mover{'B': section.BothMover, 'R': section.RightMover,
	'L': section.LeftMover, 'N': section.NonMover, 'S': section.Splits}

// pattern is that of a path that can be reduced to one step.
var pattern = regexp.MustCompile(`^[BR]*N?[BL]*$`)

// committed is the pattern of a path at whose end nothing but left-movers may come.
var committed = regexp.MustCompile(`[NL]`)

// A program is a random graph of steps, whose names are indexes of letters.
type program struct {
	steps []byte
	next  [][]int
	ends  []bool
}

func genProgram(t *rapid.T) program {
	n := rapid.IntRange(1, 6).Draw(t, "n")
	var p program
	for i := range n {
		p.steps = append(p.steps, letters[rapid.IntRange(0, 4).Draw(t, "step")])
		var next []int
		for range rapid.IntRange(0, 2).Draw(t, "edges") {
			next = append(next, rapid.IntRange(0, n-1).Draw(t, "to"))
		}
		p.next = append(p.next, next)
		p.ends = append(p.ends, len(next) == 0 || rapid.IntRange(0, 4).Draw(t, "ends") == 0)
		_ = i
	}
	return p
}

// paths calls visit with each path from the beginning that has up to max steps.
func (p program) paths(max int, visit func(path []byte, last int)) {
	var walk func(path []byte, i int)
	walk = func(path []byte, i int) {
		path = append(path, p.steps[i])
		visit(path, i)
		if len(path) < max {
			for _, n := range p.next[i] {
				walk(path, n)
			}
		}
	}
	walk(nil, 0)
}

// TestRun compares the analysis of random graphs with the pattern, held against all their paths.
// Paths of twice as many steps as there are show all that longer ones do: each node is reached in
// each of two states.
func TestRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genProgram(t)
		nodes := make([]node, len(p.steps))
		for i, step := range p.steps {
			nodes[i] = node{effectOf(movers[step]), p.next[i], p.ends[i]}
		}
		wantEnd, wantBroken := state(0), make([]bool, len(p.steps))
		p.paths(2*len(p.steps), func(path []byte, last int) {
			if !pattern.Match(path[:len(path)-1]) {
				return
			}
			if !pattern.Match(path) {
				wantBroken[last] = true
				return
			}
			if p.ends[last] {
				if committed.Match(path) {
					wantEnd |= after
				} else {
					wantEnd |= before
				}
			}
		})
		end, breaches := run(nodes, before)
		broken := make([]bool, len(p.steps))
		for _, b := range breaches {
			broken[b.at] = true
			switch step := p.steps[b.at]; {
			case step == 'S' && b.commit == -1:
			case b.commit < 0 || p.steps[b.commit] != 'N' && p.steps[b.commit] != 'L':
				t.Fatalf("%v: %d is broken by %d", p, b.at, b.commit)
			}
		}
		for i := range broken {
			if broken[i] != wantBroken[i] {
				t.Fatalf("%v: broken %v, want %v", p, broken, wantBroken)
			}
		}
		if end != wantEnd {
			t.Fatalf("%v: end %b, want %b", p, end, wantEnd)
		}
	})
}

// TestThen compares the effect of a sequence with those of its steps.
func TestThen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path []byte
		all := effectOf(section.BothMover)
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			step := letters[rapid.IntRange(0, 4).Draw(t, "step")]
			path = append(path, step)
			all = all.then(effectOf(movers[step]))
		}
		end, broken := all.apply(before, false)
		if broken == pattern.Match(path) {
			t.Fatalf("%s: broken %v", path, broken)
		}
		if !broken && (end == after) != committed.Match(path) {
			t.Fatalf("%s: end %b", path, end)
		}
		_, brokenAfter := all.apply(after, false)
		if want := regexp.MustCompile(`[RNS]`).Match(path); brokenAfter != want {
			t.Fatalf("%s: broken %v after", path, brokenAfter)
		}
	})
}
