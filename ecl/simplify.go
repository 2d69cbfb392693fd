// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// quotient maps point i of t to point class[i] of the result; -1 drops it. The points of one class
// must conflict with the same points, up to their classes. Then two calls conflict in the result if
// and only if they do in t.
func quotient(t *Table, points []Point, class []int) *Table {
	q := &Table{Spec: t.Spec, Points: points, conf: newConf(len(points))}
	for i, c := range class {
		for k, w := range t.conf[i] {
			for ; w != 0; w &= w - 1 { // for each bit of w
				if j := class[64*k+bits.TrailingZeros64(w)]; c >= 0 && j >= 0 {
					q.setConflict(c, j)
				}
			}
		}
	}
	for _, m := range t.Methods {
		c := *m
		c.Touch = make([][]Touch, len(m.Touch))
		for beta, touch := range m.Touch {
			for _, u := range touch {
				// Two points of a call may be in one class: then it is one touch.
				v := Touch{class[u.Point], u.Arg}
				if v.Point >= 0 && !slices.Contains(c.Touch[beta], v) {
					c.Touch[beta] = append(c.Touch[beta], v)
				}
			}
		}
		q.Methods = append(q.Methods, &c)
	}
	return q
}

// row is the set of the points that conflict with point i, as a map key.
func (t *Table) row(i int) string {
	b := make([]byte, 0, 8*len(t.conf[i]))
	for _, w := range t.conf[i] {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b)
}

// drop is the second simplification of A.3. It is done for the points of each method and slot
// apart. A bit of beta that makes no difference to the conflicts of these points is left out.
// Points that differ in such bits only become one.
func drop(t *Table) *Table {
	type key struct{ method, slot int }
	groups := map[key]map[uint32]int{} // beta -> point
	for i, p := range t.Points {
		k := key{p.method, p.slot}
		if groups[k] == nil {
			groups[k] = map[uint32]int{}
		}
		groups[k][p.beta] = i
	}
	rows := make([]string, len(t.Points))
	for i := range rows {
		rows[i] = t.row(i)
	}
	unneeded := map[key]uint32{} // the bits that make no difference
	// Bit b is unneeded for a group if points that differ in it alone always have the same row.
	// Several such bits can be left out at once: the path from one beta to another that differs in
	// them changes one bit at a time, and keeps the row.
	for k, g := range groups {
		for b := range t.Methods[k.method].atoms {
			same := true
			for beta, i := range g {
				if j, ok := g[beta^1<<b]; ok && rows[i] != rows[j] {
					same = false
				}
			}
			if same {
				unneeded[k] |= 1 << b
			}
		}
	}
	class := make([]int, len(t.Points))
	var points []Point
	at := map[Point]int{} // the class of a point without its unneeded bits
	for i, p := range t.Points {
		u := unneeded[key{p.method, p.slot}]
		p.mask &^= u
		p.beta &^= u
		c, ok := at[p]
		if !ok {
			c = len(points)
			at[p] = c
			points = append(points, p)
		}
		class[i] = c
	}
	return quotient(t, points, class)
}

// cleanup is the third simplification of A.3: points that conflict with nothing are removed. No
// race can be found at them.
func cleanup(t *Table) *Table {
	class := make([]int, len(t.Points))
	var points []Point
	for i, p := range t.Points {
		class[i] = -1
		if t.degree(i) > 0 {
			class[i] = len(points)
			points = append(points, p)
		}
	}
	return quotient(t, points, class)
}

// replace is the fourth simplification of A.3: points that conflict with the
// same points are congruent, and one of them stands for all.
func replace(t *Table) *Table {
	class := make([]int, len(t.Points))
	var points []Point
	at := map[string]int{}
	for i, p := range t.Points {
		k := t.row(i)
		if t.degree(i) == 0 && p.Keyed { // a keyed and an unkeyed point stay apart
			k += "k"
		}
		c, ok := at[k]
		if !ok {
			c = len(points)
			at[k] = c
			points = append(points, p)
		}
		class[i] = c
	}
	return quotient(t, points, class)
}
