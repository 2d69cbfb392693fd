// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import "github.com/commutego/commute/internal/check/reorder"

// A tas is the trace atomicity segment of a transaction, section III.A: of each thread the steps
// from position upper to before position lower. What is above comes before the transaction's first
// access in every order of the window, and what is below comes after its last one. Forks and joins
// count as accesses: a child that is forked and joined by the transaction may be on a cycle with
// it.
type tas struct{ upper, lower []int32 }

// tasOf is the segment of the transaction that begins with a step, nil if it has no access.
// O(k log n), with k threads.
func (f *filter) tasOf(begin int32) *tas {
	first, last := f.accesses(begin)
	if first == reorder.None {
		return nil
	}
	t := f.Thread[begin]
	z := &tas{make([]int32, f.Threads), make([]int32, f.Threads)}
	for u := range int32(f.Threads) {
		if u == t {
			z.upper[u], z.lower[u] = f.Pos[first], f.Pos[last]+1
		} else {
			z.upper[u], z.lower[u] = f.order.before(first, u), f.order.after(last, u)
		}
	}
	return z
}

// accesses are the first and the last access of the transaction that begins with a step, or None.
func (f *filter) accesses(begin int32) (first, last int32) {
	first, last = reorder.None, reorder.None
	steps := f.Of[f.Thread[begin]]
	for at := f.Pos[begin] + 1; int(at) < len(steps); at++ {
		i := steps[at]
		switch f.Steps[i].Op {
		case reorder.End:
			return first, last
		case reorder.Read, reorder.Write, reorder.Touch, reorder.Fork, reorder.Join:
			if last = i; first == reorder.None {
				first = i
			}
		}
	}
	return first, last
}

// size is how many steps a segment has.
func (z *tas) size() (n uint64) {
	for t := range z.upper {
		n += uint64(max(0, z.lower[t]-z.upper[t]))
	}
	return n
}

// within reports whether a transaction may be left and entered by two nodes within its segment, the
// former first: section III.C. The paper looks at one transaction, and takes all others apart into
// their steps; here others are whole, so that an edge out may lead beyond the segment, into one
// that was begun in it, and an edge in may come from above.
func (f *filter) within(z *tas, nodes []int32) bool {
	left := false
	for _, i := range nodes {
		if left && f.entersFrom(z, i) {
			return true
		}
		left = left || f.leavesTo(z, i)
	}
	return false
}

// leavesTo reports whether an edge may lead from a node to what isn't above the segment.
func (f *filter) leavesTo(z *tas, i int32) bool {
	switch f.Steps[i].Op {
	case reorder.Read, reorder.Write:
		for u := range f.Others(i) {
			if f.NextConflict(i, u, z.upper[u]) != reorder.None {
				return true
			}
		}
		return false
	}
	return f.Steps[i].Op != reorder.Join
}

// entersFrom reports whether an edge may lead to a node from what isn't below the segment.
func (f *filter) entersFrom(z *tas, i int32) bool {
	switch f.Steps[i].Op {
	case reorder.Read, reorder.Write:
		for u := range f.Others(i) {
			if at := f.NextConflict(i, u, 0); at != reorder.None && at < z.lower[u] {
				return true
			}
		}
		return false
	}
	return f.Steps[i].Op != reorder.Fork
}

// limit is how far threads have to go in a search for cycles that one of some transactions closes:
// to the lower ends of their segments. The last step of a cycle enters a transaction that it has
// left before, so nothing of the order comes after that transaction's last access.
func (f *filter) limit(begins []int32) reorder.Cut {
	cut := make(reorder.Cut, f.Threads)
	for _, begin := range begins {
		z := f.tasOf(begin)
		if z == nil {
			continue
		}
		for u, at := range z.lower {
			if list := f.Of[u]; f.Recorded && at > 0 && f.Steps[list[at-1]].Op == reorder.Read {
				at = int32(len(list)) // its thread may have to let go of locks
			}
			cut[u] = max(cut[u], at)
		}
	}
	return cut
}
