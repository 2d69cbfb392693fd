// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package event

import (
	"fmt"
	"slices"
)

// A Relation says which access points conflict. It is symmetric; a point may conflict with itself.
// The points of several types of object are numbered one after the other. A nil Relation has no
// points.
//
// A Relation doesn't change once it is made: checkers in other goroutines read it. A trace that
// defines further points has another Relation from then on. A copy of a Relation shares its slices,
// and is another Relation.
type Relation struct {
	conflicts [][]uint32 // by point: those that conflict with it
	subsumes  [][]uint32 // by point: those whose earlier touches it makes needless
	exclusive []bool     // by point: it conflicts with itself
}

// NewRelation is the relation of points 0 to points-1 with the given conflicts, each in one order
// or both. It takes O(c d) for c conflicts, if d is the most that one point has.
func NewRelation(points uint32, pairs ...[2]uint32) (*Relation, error) {
	r := &Relation{
		conflicts: make([][]uint32, points),
		subsumes:  make([][]uint32, points),
		exclusive: make([]bool, points),
	}
	seen := make(map[[2]uint32]bool)
	add := func(p, q uint32) {
		if !seen[[2]uint32{p, q}] {
			seen[[2]uint32{p, q}] = true
			r.conflicts[p] = append(r.conflicts[p], q)
		}
	}
	for _, c := range pairs {
		p, q := c[0], c[1]
		if p >= points || q >= points {
			return nil, fmt.Errorf("points %d and %d conflict, but there are %d points", p, q,
				points)
		}
		add(p, q)
		add(q, p)
		if p == q {
			r.exclusive[p] = true
		}
	}
	r.subsume()
	return r, nil
}

// RelationOf is the relation in which each point conflicts with those of a list, as Conflicts has
// them. The lists are symmetric, and are kept.
func RelationOf(conflicts [][]uint32) *Relation {
	r := &Relation{
		conflicts: conflicts, subsumes: make([][]uint32, len(conflicts)),
		exclusive: make([]bool, len(conflicts)),
	}
	for p, list := range conflicts {
		r.exclusive[p] = slices.Contains(list, uint32(p))
	}
	r.subsume()
	return r
}

// subsume finds which points make earlier touches of which needless.
func (r *Relation) subsume() {
	seen := make(map[[2]uint32]bool)
	for p, list := range r.conflicts {
		for _, q := range list {
			seen[[2]uint32{uint32(p), q}] = true
		}
	}
	for q := range uint32(len(r.conflicts)) {
		for _, p := range r.conflicts[q] {
			if all(r.conflicts[p], func(o uint32) bool { return seen[[2]uint32{o, q}] }) {
				r.subsumes[q] = append(r.subsumes[q], p)
			}
		}
	}
}

// all reports whether ok holds for all points.
func all(points []uint32, ok func(uint32) bool) bool {
	for _, p := range points {
		if !ok(p) {
			return false
		}
	}
	return true
}

// Points is the number of points.
func (r *Relation) Points() uint32 {
	if r == nil {
		return 0
	}
	return uint32(len(r.conflicts))
}

// Conflicts is the points that conflict with p.
func (r *Relation) Conflicts(p uint32) []uint32 { return r.conflicts[p] }

// Exclusive reports whether p conflicts with itself.
func (r *Relation) Exclusive(p uint32) bool { return r.exclusive[p] }

// Subsumes is the points whose earlier touches need not be kept after a touch of q. They conflict
// with q, and only with points that conflict with q. A later touch that conflicts with one
// of these conflicts with q's, too, which comes after it. So a write subsumes writes and reads. If
// q subsumes any point, it conflicts with itself, and subsumes itself.
func (r *Relation) Subsumes(q uint32) []uint32 { return r.subsumes[q] }
