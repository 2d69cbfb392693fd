// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"math/bits"
)

// A Table is an access point representation (definition 4.4) of a spec.
type Table struct {
	Spec    *Spec
	Methods []*TableMethod
	Points  []Point

	conf [][]uint64 // bit set of the points with which each point conflicts
}

// A TableMethod says which points a call of one method touches.
type TableMethod struct {
	*Method
	Atoms []string  // over Params and Results; bit i of beta is the truth of Atoms[i]
	Keys  []int     // the variables whose values name points, at most 4
	Touch [][]Touch // by beta

	atoms []atom // the same as Atoms, as formulas
}

// A Point is an access point; a keyed one stands for one point per value.
type Point struct {
	Name  string
	Keyed bool

	// Where the point comes from; simplification lets one stand for others. In the paper's terms,
	// slot -1 is m:beta:ds, and slot i is m:beta:i:w, keyed by variable i.
	method, slot int
	mask, beta   uint32 // the bits of beta that the point depends on, and their values
}

// A Touch is a point that a call touches: for a keyed point, by the value of
// variable Arg; else Arg is -1.
type Touch struct{ Point, Arg int }

// Conflict reports whether points i and j conflict (keyed ones: when their
// values are equal).
func (t *Table) Conflict(i, j int) bool { return t.conf[i][j/64]>>(j%64)&1 != 0 }

// setConflict makes i and j conflict. The relation is symmetric.
func (t *Table) setConflict(i, j int) {
	t.conf[i][j/64] |= 1 << (j % 64)
	t.conf[j][i/64] |= 1 << (i % 64)
}

// newConf is an empty relation over n points.
func newConf(n int) [][]uint64 {
	c := make([][]uint64, n)
	for i := range c {
		c[i] = make([]uint64, (n+63)/64)
	}
	return c
}

// maxPoints bounds a representation before it is simplified. The steps look at all pairs of points.
const maxPoints = 4096

// Compile translates s to access points (section 6.2) and simplifies them (appendix A.3). The
// number of points is exponential in the atoms of a method. So the first simplification, which
// takes atoms away, is done before the translation. If the result is too large, the first
// simplification is repeated without regard to the later ones.
func Compile(s *Spec) (*Table, error) {
	y := newSystem(s)
	for m, as := range y.atoms {
		if len(as) > 31 { // beta has to fit in 32 bits
			return nil, errorf(s.Methods[m].Pos, "use fewer conditions on one call",
				"calls of %s have %d conditions, more than 31", s.Methods[m].Name, len(as))
		}
	}
	t, err := translate(consolidate(y, true))
	if err != nil {
		if t, err = translate(consolidate(y, false)); err != nil {
			return nil, err
		}
	}
	for _, simplify := range []func(*Table) *Table{drop, cleanup, replace} {
		t = simplify(t)
	}
	return finish(t)
}

// tooLarge says how many points a translation would have, if that is too many,
// and which method has the most.
func (y *system) tooLarge() error {
	total, most, worst := int64(0), int64(-1), 0
	for m, as := range y.atoms {
		n := int64(1+len(y.spec.Methods[m].Vars())) << len(as)
		total += n
		if n > most {
			most, worst = n, m
		}
	}
	if total <= maxPoints {
		return nil
	}
	m, n := y.spec.Methods[worst], len(y.atoms[worst])
	return errorf(m.Pos, "use fewer conditions on one call",
		"the specification has %d access points, more than %d: %s has %d of them, 2^%d for %s "+
			"that are valued separately, times 1 + %s",
		total, maxPoints, m.Name, most, n, count(n, "condition"), count(len(m.Vars()), "value"))
}

// translate is the translation of section 6.2. For every method m and every beta there is a point
// m:beta:ds. For every variable i there is also a keyed point m:beta:i:w. A call touches those of
// its beta.
//
// Which points conflict follows from the pairs' formulas. Once both betas are given, a formula is a
// conjunction of disequalities, or a constant (lemma 6.4). If it is false, the two ds points
// conflict. For each disequality x != y the keyed points of x and y do: two calls conflict there if
// the values are equal.
func translate(y *system) (*Table, error) {
	t := &Table{Spec: y.spec}
	if err := y.tooLarge(); err != nil {
		return nil, err
	}
	// first has, by method and beta, the index of the ds point. The keyed points follow it.
	first := make([][]int, len(y.atoms))
	for m, as := range y.atoms {
		tm := &TableMethod{Method: y.spec.Methods[m], atoms: as}
		mask := uint32(1)<<len(as) - 1
		for beta := range uint32(1) << len(as) {
			first[m] = append(first[m], len(t.Points))
			var touch []Touch
			for slot := -1; slot < len(tm.Vars()); slot++ {
				touch = append(touch, Touch{len(t.Points), slot})
				t.Points = append(t.Points, Point{Keyed: slot >= 0, method: m, slot: slot,
					mask: mask, beta: beta})
			}
			tm.Touch = append(tm.Touch, touch)
		}
		t.Methods = append(t.Methods, tm)
	}
	t.conf = newConf(len(t.Points))
	for _, p := range y.pairs {
		for b1, p1 := range first[p.m1] {
			for b2, p2 := range first[p.m2] {
				neqs, isTrue := plug(p.f, [3]uint32{0, uint32(b1), uint32(b2)})
				if len(neqs) == 0 && !isTrue {
					t.setConflict(p1, p2)
				}
				for _, q := range neqs {
					t.setConflict(p1+1+q[0], p2+1+q[1])
				}
			}
		}
	}
	return t, nil
}

// plug substitutes two betas into a formula (lemma 6.4). The result is the conjunction of the
// disequalities that it returns; without any, it is the constant isTrue.
//
// The formula is in the fragment, so at most one side of an or has disequalities. If the other
// sides are false, that side is left; if one is true, so is the whole.
func plug(n *node, beta [3]uint32) (neqs [][2]int, isTrue bool) {
	if n.pureB() {
		return nil, n.eval(func(c, i int) bool { return beta[c]>>i&1 != 0 }, nil)
	}
	if n.op == opNeq {
		return [][2]int{{n.x, n.y}}, false
	}
	for _, k := range n.operands {
		q, is := plug(k, beta)
		switch {
		case n.op == opOr && is:
			return nil, true
		case n.op == opAnd && !is && len(q) == 0:
			return nil, false
		}
		neqs = append(neqs, q...)
	}
	return neqs, n.op == opAnd && len(neqs) == 0
}

// beta is the beta of a call, given the truths of the method's atoms as they were before
// consolidation.
func (m *TableMethod) beta(base func(i int) bool) (beta uint32) {
	for i, a := range m.atoms {
		if a.f.eval(func(_, j int) bool { return base(j) }, nil) {
			beta |= 1 << i
		}
	}
	return beta
}

// degree is the number of points with which point i conflicts.
func (t *Table) degree(i int) (n int) {
	for _, w := range t.conf[i] {
		n += bits.OnesCount64(w)
	}
	return n
}
