// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package weakest finds the weakest formula of ECL that no sample refutes.
//
// Input: samples of one pair of methods, which say what was true of two calls and whether they
// commuted. Output: a [Formula].
//
// # Terms
//
//	condition   of one call: what can stand in B of the grammar
//	comparison  that a value of one call differs from a value of the other one
//	valuation   the truths of all conditions and comparisons for two calls, a bit for each
//	literal     a condition or comparison, or its negation
//	term        a conjunction of literals
//	refuted     of a term: it is true of two calls that did not commute
//	prime       of a term: not refuted, but refuted if any literal is left out
//	support     how many samples have to be in favour of a term that is claimed
//	unit        the literals by which a term grows; of a method with itself also one for each call
//
// # Method
//
// The formulas of the grammar are equivalent to D && G || B, as far as one conjunction D of
// comparisons suffices: G and B are disjunctions of terms over conditions. For each D, the primes
// are enumerated, weakest first. Then terms are chosen one by one, the one that is true of most
// samples which no other one covers. A term that covers fewer of these than the support is left
// out. So nothing is claimed of what was not tried. Each literal has to pay for itself by samples,
// too: the choice among the candidates for D is by covered samples less the costs.
package weakest

import (
	"cmp"
	"math/bits"
	"slices"
)

// MaxBits is how many conditions and comparisons there may be.
const MaxBits = 64

// Plain is the cost of a literal that has to pay for itself by as many samples as the support. Of
// two literals with equal effect the cheaper one is taken.
const Plain = 2

// A Bit says what a bit of a valuation is about.
type Bit struct {
	Call int // of a condition: 1 or 2; 0 for a comparison
	Cost int // how odd the bit is in a formula: Plain, or more
	// Swap is the bit that this one becomes if the two calls change places, of a method with
	// itself.
	Swap  int
	Key   bool // of a comparison: x1 != y2 may stand in the formula
	Value bool // of a condition: a boolean value, which may stand in an alternative
	// Odd: the bit speaks of a certain value. Where both calls have it, that only says that their
	// values are equal.
	Odd bool
}

// A Sample is two calls that were made in both orders.
type Sample struct {
	Truths   [2]uint64 // in either order; the same twice if the calls returned in one order only
	Commuted bool
}

// A Problem is what is known of a pair of methods.
type Problem struct {
	Bits    []Bit
	Same    bool // both methods are one: formulas have to be symmetric
	Support int
	Samples []Sample
}

// A Term is a conjunction: the bits of Set have the values of Truths.
type Term struct{ Set, Truths uint64 }

// Holds reports whether t is true of a valuation.
func (t Term) Holds(truths uint64) bool { return truths&t.Set == t.Truths }

// Size is how many literals t has.
func (t Term) Size() int { return bits.OnesCount64(t.Set) }

// compare orders terms for people: short ones first, and those about the first call.
func (t Term) compare(u Term) int {
	return cmp.Or(cmp.Compare(t.Size(), u.Size()),
		cmp.Compare(bits.Reverse64(u.Set), bits.Reverse64(t.Set)),
		cmp.Compare(u.Truths, t.Truths))
}

func (t Term) and(u Term) Term { return Term{t.Set | u.Set, t.Truths | u.Truths} }

// A Formula is (Differ && any of Guards) || any of Terms. No guard at all makes the first part
// false; one without literals makes it Differ. A term without literals is true.
type Formula struct {
	Differ uint64 // comparisons
	Guards []Term
	Terms  []Term
	Also   []Term // alternatives that the grammar does not have: they have an x1 == y2
	swap   []Term // of a method with itself: the alternatives with the calls exchanged
}

// Always and Never report whether f is constant.
func (f *Formula) Always() bool { return slices.Contains(f.Terms, Term{}) }
func (f *Formula) Never() bool  { return len(f.Guards) == 0 && len(f.Terms) == 0 }

// Holds reports whether the formula is true of a valuation. Alternatives are not part of it.
func (f *Formula) Holds(truths uint64) bool {
	holds := func(t Term) bool { return t.Holds(truths) }
	return slices.ContainsFunc(f.Terms, holds) ||
		truths&f.Differ == f.Differ && slices.ContainsFunc(f.Guards, holds)
}

// Excepts reports whether an alternative is true of a valuation.
func (f *Formula) Excepts(truths uint64) bool {
	holds := func(t Term) bool { return t.Holds(truths) }
	return slices.ContainsFunc(f.Also, holds) || slices.ContainsFunc(f.swap, holds)
}

// Claims reports whether the formula or an alternative says of a sample that the calls commute.
func (f *Formula) Claims(s Sample) bool {
	return slices.ContainsFunc(s.Truths[:],
		func(v uint64) bool { return f.Holds(v) || f.Excepts(v) })
}

// Parts lists the terms of the formula and its alternatives, each as it has to hold.
func (f *Formula) Parts() (list []Term) {
	for _, g := range f.Guards {
		list = append(list, g.and(Term{f.Differ, f.Differ}))
	}
	return slices.Concat(list, f.Terms, f.Also)
}

// Bounds of what is searched.
const (
	maxUnits    = 3 // of a term
	maxCost     = 4 * Plain
	maxDiffer   = 3 // comparisons of a formula, of a method with itself those of one call
	maxCompared = 6 // comparisons that are tried there, the cheapest ones
	maxTerms    = 4
	maxGuards   = 2
	maxAlso     = 2
	maxSearched = 50_000 // terms that are looked at for one D
)

// Find is the weakest formula for the samples.
func Find(p *Problem) *Formula {
	s := newSearch(p)
	if len(s.bad) == 0 {
		if s.total() >= p.Support {
			return &Formula{Terms: []Term{{}}}
		}
		return &Formula{}
	}
	s.compare()
	single := s.primes(Term{}, s.conditions())
	best := s.cover(0, nil, single)
	for _, d := range s.differing() {
		f := s.cover(d, s.primes(Term{d, d}, s.conditions()), single)
		if f.score > best.score {
			best = f
		}
	}
	f := best.Formula
	for _, list := range [][]Term{f.Guards, f.Terms, f.Also} {
		slices.SortFunc(list, Term.compare)
	}
	return &f
}

// A scored formula has a score, the greater the better.
type scored struct {
	Formula
	score int
}

// cover chooses terms for the comparisons d: of guards, which are for calls of which d holds, and
// of terms.
func (s *search) cover(d uint64, guards, terms []Term) scored {
	differ := Term{d, d}
	left := slices.Clone(s.rows)
	f := Formula{Differ: d}
	for {
		best, gain, guard := Term{}, 0, false
		consider := func(t Term, isGuard bool) {
			n := s.worth(left, t)
			if n > gain || n == gain && n > 0 && s.cost(t) < s.cost(best) {
				best, gain, guard = t, n, isGuard
			}
		}
		if len(f.Guards) < maxGuards {
			for _, t := range guards {
				consider(t, true)
			}
		}
		if len(f.Terms) < maxTerms {
			for _, t := range terms {
				consider(t, false)
			}
		}
		if gain < s.price(best) {
			break
		}
		left = slices.DeleteFunc(left, func(r row) bool { return s.covers(r, best) })
		if guard {
			best.Set &^= d
			best.Truths &^= d
			f.Guards = s.with(f.Guards, best)
		} else {
			f.Terms = s.with(f.Terms, best)
		}
	}
	s.reduce(&f)
	score, cost := s.total(), s.cost(differ)
	if len(f.Guards) == 0 {
		f.Differ, cost = 0, 0
	}
	left = s.alternatives(&f)
	for _, r := range left {
		score -= r.commuted
	}
	for _, t := range slices.Concat(f.Guards, f.Terms, f.Also) {
		cost += s.cost(t)
	}
	return scored{f, score - s.Support*cost/Plain}
}

// with adds a term, and what it is if the calls change places.
func (s *search) with(list []Term, t Term) []Term {
	list = append(list, t)
	if u := s.swapped(t); s.Same && u != t {
		list = append(list, u)
	}
	return list
}

// reduce leaves out terms without which the formula is true of all but a few of the same samples.
// Terms that were chosen later may cover what an earlier one does.
func (s *search) reduce(f *Formula) {
	for i := 0; i < len(f.Terms); i++ {
		t := f.Terms[i]
		others := Formula{Differ: f.Differ, Guards: f.Guards}
		for _, u := range f.Terms {
			if u != t && !(s.Same && u == s.swapped(t)) {
				others.Terms = append(others.Terms, u)
			}
		}
		lost := 0
		for _, r := range s.rows {
			if s.covers(r, t) && !slices.ContainsFunc(r.valuations(), others.Holds) {
				lost += r.commuted
			}
		}
		if lost < s.Support {
			f.Terms = others.Terms
			i = -1
		}
	}
}

// alternatives chooses terms with an equality of values, for calls that commute although the
// formula says no. It returns the rows that are left.
func (s *search) alternatives(f *Formula) (left []row) {
	left = slices.DeleteFunc(slices.Clone(s.rows),
		func(r row) bool { return slices.ContainsFunc(r.valuations(), f.Holds) })
	for len(f.Also) < maxAlso {
		best, gain := Term{}, 0
		for _, t := range s.equalities {
			n := s.covered(left, t)
			if n > gain || n == gain && n > 0 && s.cost(t) < s.cost(best) {
				best, gain = t, n
			}
		}
		if gain < s.price(best) {
			break
		}
		f.Also = append(f.Also, best)
		if s.Same {
			f.swap = append(f.swap, s.swapped(best))
		}
		left = slices.DeleteFunc(left, func(r row) bool { return s.covers(r, best) })
	}
	return left
}

// differing lists the candidates for the comparisons that a formula has, fewest first.
func (s *search) differing() (list []uint64) {
	var groups []uint64 // a comparison each, and what it is if the calls change places
	for i, b := range s.Bits {
		group := uint64(1) << i
		if s.Same {
			group |= 1 << b.Swap
		}
		if b.Call == 0 && b.Key && s.useful[i] && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	cheapest := func(a, b uint64) int { return cmp.Compare(s.cost(Term{a, a}), s.cost(Term{b, b})) }
	slices.SortStableFunc(groups, cheapest)
	groups = groups[:min(len(groups), maxCompared)]
	slices.Sort(groups)
	level := []uint64{0}
	for range maxDiffer {
		var next []uint64
		for _, d := range level {
			for _, g := range groups {
				if g > d && d&g == 0 { // each set once: the greatest group last
					next = append(next, d|g)
				}
			}
		}
		list = append(list, next...)
		level = next
	}
	// What is more than enough makes for a stronger formula only.
	var enough []uint64
	return slices.DeleteFunc(list, func(d uint64) bool {
		if slices.ContainsFunc(enough, func(e uint64) bool { return d&e == e }) {
			return true
		}
		if !s.refuted(Term{d, d}) {
			enough = append(enough, d)
		}
		return bits.OnesCount64(d) > 2*maxDiffer
	})
}
