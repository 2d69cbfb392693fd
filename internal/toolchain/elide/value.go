// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

// A value is what a register or a slot holds: a number that is not known, with a constant added.
// Two values that are equal are the same number, where both are met on one way without a loop. Base
// 0 is no number, so that the value is a constant.
type value struct {
	base int32
	add  int64
}

// unknown stands for a value that nothing is known of yet. It is equal to no other one.
var unknown = value{base: -1}

func constant(n int64) value { return value{add: n} }

func (v value) isConstant() bool { return v.base == 0 }

// values numbers the values of a function, so that the same operation on the same values has the
// same number.
type values struct {
	n     int32
	known map[operation]int32
	sums  map[int32]sum
	// the bytes of numbers that have zeros above them
	narrow map[int32]int
	// the numbers that are addresses of constant memory
	constant map[int32]bool

	block, inst int    // the present instruction
	next        uint32 // how many fresh values it has made
}

// An operation makes a value of others.
type operation struct {
	kind, width uint32
	a, b        value
}

// A sum is of two numbers, with factors. The second one may be none.
type sum struct {
	a, b          int32
	times, times2 int64
}

// Kinds of operations that are no instruction's.
const (
	opSum uint32 = 1<<31 + iota
	opFresh
	opSymbol
	opZeroExtend
	opSignExtend
	opStack      // the stack pointer
	opDictionary // the address of the dictionary that the function gets
	opConstant   // what a constant's memory holds
)

func newValues() *values {
	return &values{known: make(map[operation]int32), sums: make(map[int32]sum),
		narrow: make(map[int32]int), constant: make(map[int32]bool)}
}

// at begins an instruction of a block, whose numbers are given.
func (vs *values) at(block, inst int) { vs.block, vs.inst, vs.next = block, inst, 0 }

// fresh is a value like no other one that is known when the instruction runs. Each pass over the
// function gives it the same number.
func (vs *values) fresh() value {
	vs.next++
	return vs.of(operation{opFresh, vs.next, value{add: int64(vs.block)},
		value{add: int64(vs.inst)}})
}

// of is the value that an operation makes. It must depend on nothing else.
func (vs *values) of(op operation) value {
	n, ok := vs.known[op]
	if !ok {
		vs.n++
		n = vs.n
		vs.known[op] = n
	}
	return value{base: n}
}

// terms are the numbers of which a value without its constant is the sum.
func (vs *values) terms(base int32) sum {
	if base == 0 {
		return sum{}
	}
	if s, ok := vs.sums[base]; ok {
		return s
	}
	return sum{a: base, times: 1}
}

// sumOf is the value of a sum.
func (vs *values) sumOf(s sum, add int64) value {
	if s.a == s.b {
		s = sum{a: s.a, times: s.times + s.times2}
	}
	if s.times2 == 0 {
		s.b = 0
	}
	if s.a == 0 || s.times == 0 {
		s = sum{a: s.b, times: s.times2}
	}
	if s.b != 0 && s.b < s.a {
		s = sum{s.b, s.a, s.times2, s.times}
	}
	switch {
	case s.a == 0 || s.times == 0:
		return constant(add)
	case s.b == 0 && s.times == 1:
		return value{s.a, add}
	}
	v := vs.of(operation{opSum, 0, value{s.a, s.times}, value{s.b, s.times2}})
	vs.sums[v.base] = s
	return value{v.base, add}
}

// plus is the sum of two values.
func (vs *values) plus(v, w value) value {
	add := v.add + w.add
	if v.base == 0 || w.base == 0 {
		return value{v.base + w.base, add}
	}
	a, b := vs.terms(v.base), vs.terms(w.base)
	switch {
	case a.b == 0 && b.b == 0 && a.a == b.a:
		return vs.sumOf(sum{a: a.a, times: a.times + b.times}, add)
	case a.b == 0 && b.b == 0:
		return vs.sumOf(sum{a.a, b.a, a.times, b.times}, add)
	}
	return vs.sumOf(sum{v.base, w.base, 1, 1}, add)
}

// times is a value several times.
func (vs *values) times(v value, n int64) value {
	s := vs.terms(v.base)
	return vs.sumOf(sum{s.a, s.b, s.times * n, s.times2 * n}, v.add*n)
}

// low is the low bits of a value, with zeros above.
func (vs *values) low(v value, bytes int) value {
	if bytes >= 8 {
		return v
	}
	if v.isConstant() {
		return constant(v.add & (1<<(8*bytes) - 1))
	}
	if vs.narrow[v.base] <= bytes && v.add == 0 && vs.narrow[v.base] != 0 {
		return v
	}
	w := vs.of(operation{opZeroExtend, uint32(bytes), v, value{}})
	vs.narrow[w.base] = bytes
	return w
}
