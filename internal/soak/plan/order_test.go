// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import (
	"math/rand/v2"
	"testing"
)

const seeds = 400

// closure is the slow, obvious form of what must be ordered: an edge for each reason, between the
// begin and the end of operations, and Warshall's algorithm.
func closure(p *Plan) [][]bool {
	n := 2 * len(p.Ops)
	c := make([][]bool, n)
	for i := range c {
		c[i] = make([]bool, n)
	}
	orders := func(i, j int) { c[2*i][2*j+1] = true }
	for i := range p.Ops {
		c[2*i][2*i+1] = true
		a := &p.Ops[i]
		for j := range p.Ops {
			b := &p.Ops[j]
			if i < j && a.G == b.G || i < j && a.Action == Fork && a.Child == b.G {
				c[2*i+1][2*j] = c[2*i+1][2*j] || a.G == b.G
				c[2*i][2*j] = true
			}
			if a.Action == Signal && b.Action == Wait && a.Link == b.Link {
				linked(p, i, j, orders)
			}
			if i+1 == j && a.Action == Split {
				orders(i, j)
				orders(j, i)
			}
			if p.Forced && i < j && forced(p, a, b) {
				orders(i, j)
			}
		}
	}
	iterators(p, c)
	for k := range n {
		for i := range n {
			if c[i][k] {
				for j := range n {
					c[i][j] = c[i][j] || c[k][j]
				}
			}
		}
	}
	return c
}

// linked adds the edges of signal i and wait j of one link.
func linked(p *Plan, i, j int, orders func(i, j int)) {
	l := p.Ops[i].Link
	switch kind := &properties[p.Links[l].Kind]; {
	case kind.queue:
		a, b := nth(p, i), nth(p, j)
		if a == b {
			orders(i, j)
		}
		if a == b+p.Links[l].Room {
			orders(j, i)
		}
	case kind.meet:
		orders(i, j)
		orders(j, i)
	default:
		orders(i, j)
	}
}

// nth is how many signals, or waits, of the link are earlier.
func nth(p *Plan, i int) (n int) {
	for k := range i {
		if p.Ops[k].Action == p.Ops[i].Action && p.Ops[k].Link == p.Ops[i].Link {
			n++
		}
	}
	return n
}

// forced reports whether a is before b because it is executed before.
func forced(p *Plan, a, b *Op) bool {
	if a.Action == Signal && b.Action == Signal && a.Link == b.Link {
		return properties[p.Links[a.Link].Kind].mix && !properties[p.Links[a.Link].Kind].queue
	}
	lets, takes := a.Action == Leave || a.Action == Whole, b.Action == Enter || b.Action == Whole
	return lets && takes && a.Lock == b.Lock && !(a.Shared && b.Shared)
}

// iterators adds the edges from a Next to what the iterator does, and from its Yield to the Next's
// end.
func iterators(p *Plan, c [][]bool) {
	for i := range p.Ops {
		if p.Ops[i].Action != Next {
			continue
		}
		for j := i + 1; j < len(p.Ops); j++ {
			if p.Ops[j].G == p.Ops[i].Child {
				c[2*i][2*j] = true
				if p.Ops[j].Action == Yield {
					c[2*j][2*i+1] = true
					break
				}
			}
		}
	}
}

// TestOrder compares the order that plans know with the closure.
func TestOrder(t *testing.T) {
	accessed, ordered := 0, 0
	for seed := range uint64(seeds) {
		p := Make(seed, Options{Silent: seed%4 == 0})
		tr := newTracker(p)
		for i := range p.Ops {
			tr.add(&p.Ops[i])
		}
		g := newGraph(tr)
		c := closure(p)
		for i := range p.Ops {
			var may set
			for j := i + 1; j < len(p.Ops); j++ {
				if !p.Ops[i].Access() || !p.Ops[j].Access() {
					continue
				}
				accessed++
				want := c[2*i][2*j]
				if got := tr.before(i, j); got != want {
					t.Fatalf("%v\n%d before %d: %v, want %v", p, i, j, got, want)
				}
				if !want {
					continue
				}
				ordered++
				if may == nil {
					may = g.reach(i, -1)
				}
				if !may.has(int(begin(j))) {
					t.Fatalf("%v\n%d is before %d, but may not be", p, i, j)
				}
			}
		}
	}
	if ordered < accessed/10 || ordered > accessed*9/10 {
		t.Errorf("of %d pairs, %d are ordered", accessed, ordered)
	}
}

// TestExecutable executes plans in the order of the list, and at random, and wants all to be done:
// no plan deadlocks, in either way.
func TestExecutable(t *testing.T) {
	for seed := range uint64(2 * seeds) {
		p := Make(seed, Options{})
		for try := range uint64(10) {
			if i := execute(p, rand.New(rand.NewPCG(seed, try))); i >= 0 {
				t.Fatalf("%v\noperation %d can't be done", p, i)
			}
		}
	}
}

// execute runs operations in a random order that their goroutines, links and locks allow, and
// returns one that can't be done, -1 if there is none.
func execute(p *Plan, r *rand.Rand) int {
	done := make([]bool, len(p.Ops))
	for left := len(p.Ops); left > 0; {
		var can []int
		for i := range p.Ops {
			if !done[i] && possible(p, done, i) {
				can = append(can, i)
			}
		}
		if len(can) == 0 {
			for i := range done {
				if !done[i] {
					return i
				}
			}
		}
		i := can[r.IntN(len(can))]
		done[i] = true
		left--
	}
	return -1
}

// possible reports whether an operation can be done. A signal that meets its wait counts as done
// when it has begun, and what follows it waits.
func possible(p *Plan, done []bool, i int) bool {
	o := &p.Ops[i]
	count := func(of func(q *Op) bool) (n int) {
		for j := range p.Ops {
			if done[j] && of(&p.Ops[j]) {
				n++
			}
		}
		return n
	}
	for j := range i {
		a := &p.Ops[j]
		meets := a.Action == Split || a.Action == Signal && p.Links[a.Link].Kind.Meets()
		if a.G == o.G && (!done[j] || j+1 < i && meets && !done[j+1]) ||
			a.Action == Fork && a.Child == o.G && !done[j] {
			return false
		}
	}
	signals := count(func(q *Op) bool { return q.Action == Signal && q.Link == o.Link })
	waits := count(func(q *Op) bool { return q.Action == Wait && q.Link == o.Link })
	inside := func(all bool) bool {
		return count(func(q *Op) bool {
			return q.Action == Enter && q.Lock == o.Lock &&
				(all || !q.Shared)
		}) ==
			count(func(q *Op) bool {
				return q.Action == Leave && q.Lock == o.Lock &&
					(all || !q.Shared)
			})
	}
	switch o.Action {
	case Signal:
		return !properties[p.Links[o.Link].Kind].queue || signals-waits < p.Links[o.Link].Room
	case Wait:
		if properties[p.Links[o.Link].Kind].queue {
			return waits < signals
		}
		total := 0
		for j := range p.Ops {
			if p.Ops[j].Action == Signal && p.Ops[j].Link == o.Link {
				total++
			}
		}
		return signals == total
	case Enter:
		return inside(!o.Shared)
	case Meddle:
		return done[i-1]
	}
	return true
}
