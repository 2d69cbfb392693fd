// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package weakest

import (
	"maps"
	"math/bits"
	"slices"
)

// A search has the samples of a problem in the form in which terms are held against them.
type search struct {
	*Problem
	rows []row    // samples that commuted; equal ones are one row
	bad  []uint64 // valuations of those that did not, each once

	// useful says of which bits there are literals: of those that differ among the valuations, and
	// of several that are the same in all of them, the cheapest.
	useful []bool

	equalities []Term // primes with an equality between the calls

	// For primes: columns has the valuations, 64 in a word, in which a bit is set. First come the
	// bad ones.
	all     []uint64
	weight  []int // how many samples commuted of each valuation
	columns [][]uint64
}

// A row is samples that commuted, with equal valuations.
type row struct {
	truths   [4]uint64 // in either order, and with the calls exchanged
	n        int
	commuted int
	compared int // the cost of the cheapest term of comparisons that covers it, 0 if none does
}

func (r *row) valuations() []uint64 { return r.truths[:r.n] }

func newSearch(p *Problem) *search {
	s := &search{Problem: p}
	rows := make(map[[2]uint64]*row)
	bad := make(map[uint64]bool)
	for _, sample := range p.Samples {
		key := sample.Truths
		if key[0] > key[1] {
			key[0], key[1] = key[1], key[0]
		}
		r := rows[key]
		if r == nil {
			r = s.row(key)
			rows[key] = r
		}
		if sample.Commuted {
			r.commuted++
			continue
		}
		for _, v := range r.valuations() {
			bad[v] = true
		}
	}
	s.bad = slices.Sorted(maps.Keys(bad))
	for _, r := range rows {
		if r.commuted > 0 {
			s.rows = append(s.rows, *r)
		}
	}
	slices.SortFunc(s.rows, func(a, b row) int { return slices.Compare(a.truths[:], b.truths[:]) })
	s.index()
	return s
}

// row is a row with the valuations of a sample, each once.
func (s *search) row(truths [2]uint64) *row {
	r := new(row)
	for _, v := range truths {
		list := []uint64{v}
		if s.Same {
			list = append(list, s.exchange(v))
		}
		for _, v := range list {
			if !slices.Contains(r.valuations(), v) {
				r.truths[r.n] = v
				r.n++
			}
		}
	}
	return r
}

// exchange is a valuation after the two calls have changed places.
func (s *search) exchange(v uint64) (w uint64) {
	for i, b := range s.Bits {
		w |= v >> i & 1 << b.Swap
	}
	return w
}

func (s *search) swapped(t Term) Term { return Term{s.exchange(t.Set), s.exchange(t.Truths)} }

// index fills in all, weight, columns and useful.
func (s *search) index() {
	commuted := make(map[uint64]int)
	for _, r := range s.rows {
		for _, v := range r.valuations() {
			commuted[v] += r.commuted
		}
	}
	s.all = slices.Clone(s.bad)
	for _, v := range slices.Sorted(maps.Keys(commuted)) {
		if _, found := slices.BinarySearch(s.bad, v); !found {
			s.all = append(s.all, v)
		}
	}
	words := (len(s.all) + 63) / 64
	for i := range s.Bits {
		column := make([]uint64, words)
		for k, v := range s.all {
			column[k/64] |= v >> i & 1 << (k % 64)
		}
		s.columns = append(s.columns, column)
	}
	s.weight = make([]int, words*64)
	for k, v := range s.all {
		if k >= len(s.bad) {
			s.weight[k] = commuted[v]
		}
	}
	s.useful = make([]bool, len(s.Bits))
	for i, b := range s.Bits {
		n := 0
		for _, w := range s.columns[i] {
			n += bits.OnesCount64(w)
		}
		s.useful[i] = n > 0 && n < len(s.all)
		for j, c := range s.Bits {
			if b.Call == c.Call && (c.Cost < b.Cost || c.Cost == b.Cost && j < i) && s.same(i, j) {
				s.useful[i] = false
			}
		}
	}
}

// same reports whether two bits say the same of all valuations, or the opposite.
func (s *search) same(i, j int) bool {
	equal, opposite := true, true
	for k := range s.all {
		x := (s.columns[i][k/64] ^ s.columns[j][k/64]) >> (k % 64) & 1
		equal, opposite = equal && x == 0, opposite && x == 1
	}
	return equal || opposite && s.Bits[i].Call != 0
}

func (s *search) total() (n int) {
	for _, r := range s.rows {
		n += r.commuted
	}
	return n
}

// covers reports whether a term, or what it is if the calls change places, is true of a row.
func (s *search) covers(r row, t Term) bool { return slices.ContainsFunc(r.valuations(), t.Holds) }

func (s *search) covered(rows []row, t Term) (n int) {
	for _, r := range rows {
		if s.covers(r, t) {
			n += r.commuted
		}
	}
	return n
}

// compare finds the primes that compare values of the two calls, besides boolean values, and marks
// the rows that they cover.
func (s *search) compare() {
	var others []Term
	for i, b := range s.Bits {
		if b.Call == 0 && s.useful[i] {
			units := s.comparable(i)
			s.equalities = append(s.equalities, s.primes(Term{1 << i, 0}, units)...)
			others = append(others, s.primes(Term{1 << i, 1 << i}, units)...)
		}
	}
	for i := range s.rows {
		r := &s.rows[i]
		for _, t := range slices.Concat(s.equalities, others) {
			if s.covers(*r, t) && (r.compared == 0 || s.cost(t) < r.compared) {
				r.compared = s.cost(t)
			}
		}
	}
}

// worth is how many samples of the rows a term covers. One with odd bits of both calls is not for
// those that a cheaper comparison covers: x1 == 0 && x2 == 0 where x1 == x2 is meant.
func (s *search) worth(rows []row, t Term) (n int) {
	var odd [3]bool
	for i, b := range s.Bits {
		odd[b.Call] = odd[b.Call] || t.Set>>i&1 != 0 && b.Odd
	}
	cost := s.cost(t)
	for _, r := range rows {
		if s.covers(r, t) && !(odd[1] && odd[2] && 0 < r.compared && r.compared < cost) {
			n += r.commuted
		}
	}
	return n
}

// price is how many samples a term has to cover: the more, the more it costs.
func (s *search) price(t Term) int { return s.Support * max(s.cost(t), Plain) / Plain }

func (s *search) refuted(t Term) bool { return slices.ContainsFunc(s.bad, t.Holds) }

// cost is what the literals of a term cost.
func (s *search) cost(t Term) (n int) {
	for i, b := range s.Bits {
		n += int(t.Set>>i&1) * b.Cost
	}
	return n
}

// conditions are the units of formulas: literals of one call. Of a method with itself there are
// also those that say the same of both calls.
func (s *search) conditions() (units []Term) {
	for i, b := range s.Bits {
		if b.Call != 0 && s.useful[i] {
			units = append(units, Term{1 << i, 1 << i}, Term{1 << i, 0})
		}
	}
	return s.doubled(units)
}

// comparable are the units of terms that begin with comparison i: comparisons, and boolean values.
func (s *search) comparable(i int) (units []Term) {
	for j, b := range s.Bits {
		switch {
		case !s.useful[j]:
		case b.Call != 0 && b.Value:
			units = append(units, Term{1 << j, 1 << j}, Term{1 << j, 0})
		case b.Call == 0 && j > i:
			units = append(units, Term{1 << j, 1 << j}, Term{1 << j, 0})
		case b.Call == 0 && j < i:
			units = append(units, Term{1 << j, 1 << j}) // with == it has been tried from j on
		}
	}
	return s.doubled(units)
}

func (s *search) doubled(units []Term) []Term {
	if !s.Same {
		return units
	}
	for _, u := range units {
		if both := u.and(s.swapped(u)); both.Set != u.Set && s.Bits[first(u)].Call == 1 {
			units = append(units, both)
		}
	}
	return units
}

func first(t Term) int { return bits.TrailingZeros64(t.Set) }

// primes lists the terms base && units that no sample refutes, and of which each unit matters.
func (s *search) primes(base Term, units []Term) (list []Term) {
	left := s.true(base)
	if s.supported(left) < s.Support {
		return nil
	}
	if !s.refutes(left) {
		return []Term{base}
	}
	type node struct {
		term Term
		next int // of the units
		left []uint64
	}
	level := []node{{base, 0, left}}
	searched := 0
	for range maxUnits {
		var grown []node
		for _, n := range level {
			for k := n.next; k < len(units) && searched < maxSearched; k++ {
				u := units[k]
				t := n.term.and(u)
				if u.Set&n.term.Set != 0 || s.cost(t)-s.cost(base) > maxCost {
					continue
				}
				searched++
				left := s.within(n.left, u)
				switch {
				case s.supported(left) < s.Support:
				case slices.ContainsFunc(list, func(p Term) bool { return p.within(t) }):
				case s.refutes(left):
					grown = append(grown, node{t, k + 1, left})
				default:
					list = append(list, t)
				}
			}
		}
		level = grown
	}
	return list
}

// within reports whether t has all literals of p.
func (p Term) within(t Term) bool { return t.Set&p.Set == p.Set && t.Truths&p.Set == p.Truths }

// true are the valuations of which a term is true, within those that are left when another literal
// is added.
func (s *search) true(t Term) []uint64 {
	left := make([]uint64, (len(s.all)+63)/64)
	for k, v := range s.all {
		if t.Holds(v) {
			left[k/64] |= 1 << (k % 64)
		}
	}
	return left
}

func (s *search) within(left []uint64, u Term) []uint64 {
	left = slices.Clone(left)
	for set := u.Set; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		flip := uint64(0)
		if u.Truths>>i&1 == 0 {
			flip = ^flip
		}
		for w := range left {
			left[w] &= s.columns[i][w] ^ flip
		}
	}
	return left
}

// refutes reports whether one of the valuations is of calls that did not commute.
func (s *search) refutes(left []uint64) bool {
	for w, set := range left {
		n := len(s.bad) - 64*w // those in this word, which come first
		if n <= 0 {
			break
		}
		if n < 64 {
			set &= 1<<n - 1
		}
		if set != 0 {
			return true
		}
	}
	return false
}

// supported is how many samples commuted, at most: a sample may count twice.
func (s *search) supported(left []uint64) (n int) {
	for w, set := range left {
		for ; set != 0; set &= set - 1 {
			n += s.weight[64*w+bits.TrailingZeros64(set)]
		}
	}
	return n
}
