// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import "github.com/commutego/commute/analyzer/section"

// A state is how far a function is on a path: before the step that commits it, or after that. Sets
// of states are bits.
type state uint8

const (
	before state = 1 << iota // only right-movers and both-movers so far
	after                    // a left-mover or a non-mover has been
)

// An effect is what a piece of code does to a state: to which states it leads, and whether it
// breaks the pattern, so that it leads to none.
type effect struct {
	fromBefore, fromAfter state
	breaks, breaksAfter   bool
}

// effectOf is the effect of one step.
func effectOf(m section.Mover) effect {
	switch m {
	case section.RightMover:
		return effect{fromBefore: before, breaksAfter: true}
	case section.LeftMover:
		return effect{fromBefore: after, fromAfter: after}
	case section.NonMover:
		return effect{fromBefore: after, breaksAfter: true}
	case section.Splits:
		return effect{breaks: true, breaksAfter: true}
	}
	return effect{fromBefore: before, fromAfter: after}
}

// then is the effect of two pieces of code, one after the other.
func (e effect) then(next effect) effect {
	r := effect{breaks: e.breaks, breaksAfter: e.breaksAfter}
	r.fromBefore, r.breaks = next.apply(e.fromBefore, r.breaks)
	r.fromAfter, r.breaksAfter = next.apply(e.fromAfter, r.breaksAfter)
	return r
}

// apply is where an effect leads from a set of states, and whether it breaks the pattern.
func (e effect) apply(from state, broken bool) (to state, breaks bool) {
	breaks = broken
	if from&before != 0 {
		to |= e.fromBefore
		breaks = breaks || e.breaks
	}
	if from&after != 0 {
		to |= e.fromAfter
		breaks = breaks || e.breaksAfter
	}
	return to, breaks
}

// A node is a piece of code with one effect, in a graph of control flow.
type node struct {
	effect
	next []int
	ends bool // the function can return behind it
}

// A breach is a node that breaks the pattern, and one before it that has committed: -1 if the node
// breaks it by itself.
type breach struct{ at, commit int }

// run follows the graph from node 0 in some states: the least fixed point of a forward analysis. It
// returns the states at the end, and the nodes that break the pattern. O(nodes + edges).
func run(nodes []node, start state) (end state, breaches []breach) {
	if len(nodes) == 0 {
		return start, nil
	}
	in := make([]state, len(nodes))
	commit := make([]int, len(nodes)) // of state after; -1 if it was so at the start
	in[0] = start
	for i := range commit {
		commit[i] = -1
	}
	work := []int{0}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		out, _ := nodes[i].apply(in[i], false)
		by := commit[i]
		if in[i]&after == 0 || nodes[i].fromAfter&after == 0 {
			by = i
		}
		for _, n := range nodes[i].next {
			if now := in[n] | out; now != in[n] {
				if now&after != 0 && in[n]&after == 0 {
					commit[n] = by
				}
				in[n] = now
				work = append(work, n)
			}
		}
	}
	for i, n := range nodes {
		out, broken := n.apply(in[i], false)
		if broken {
			b := breach{i, commit[i]}
			if in[i]&before != 0 && n.breaks {
				b.commit = -1
			}
			breaches = append(breaches, b)
		}
		if n.ends {
			end |= out
		}
	}
	return end, breaches
}
