// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// tornMakers are the pairs of a function that sets two fields of one object in two sections. Each
// function that sets one of them sets the other as well: they belong together.
func (f *function) tornMakers() (list []linkedPair) {
	for _, a := range f.summary() {
		for _, b := range f.summary() {
			if a == b || !a.setsField() || !b.setsField() || !a.isBeside(b) || a.at == b.at ||
				!a.express().ok || !b.express().ok || !f.in.setTogether(a, b) {
				continue
			}
			shared, outer, apart := f.apart(a, b)
			if apart && !outer && f.Reaches(a.at, b.at, nil) && !f.Reaches(b.at, a.at, nil) &&
				!f.calledLocked(shared.full(), 0) {
				list = append(list, linkedPair{a, b, compiled.TornPair})
			}
		}
	}
	return list
}

// setsField reports whether a write sets a field under a lock, whatever was there.
func (e *event) setsField() bool {
	return e.op == compiled.WriteVar && e.atomic == compiled.NotAtomic && len(e.locks) > 0 &&
		!e.whole && e.remote == nil
}

// isBeside reports whether two events are of two fields of one object.
func (e *event) isBeside(other *event) bool {
	a, ok := e.addr.(*ssa.FieldAddr)
	b, ok2 := other.addr.(*ssa.FieldAddr)
	return ok && ok2 && a.Field != b.Field && e.from == nil && other.from == nil &&
		e.f.Term(a.X).Text == e.f.Term(b.X).Text
}

// setTogether reports whether each function of the package that writes one of two fields writes the
// other as well, and each of them once.
func (p *program) setTogether(a, b *event) bool {
	for _, f := range p.functions {
		n := [2]int{}
		for _, w := range f.summary() {
			if !w.isWrite() || w.from != nil {
				continue
			}
			for i, e := range []*event{a, b} {
				if w.name.full() == e.name.full() {
					n[i]++
				}
			}
		}
		if n != [2]int{} && n != [2]int{1, 1} {
			return false
		}
	}
	return true
}

// tornUsers are the pairs of a function that reads two fields of one object in one section, and
// returns both.
func (f *function) tornUsers() (list []linkedPair) {
	for _, a := range f.summary() {
		for _, b := range f.summary() {
			if a != b && a.returnsField() && b.returnsField() && a.isBeside(b) && f.section(a, b) &&
				a.express().ok && b.express().ok {
				list = append(list, linkedPair{a, b, compiled.TornPair})
			}
		}
	}
	return list
}

// returnsField reports whether a read of a field under a lock goes to a result.
func (e *event) returnsField() bool {
	return e.op == compiled.ReadVar && e.atomic == compiled.NotAtomic && len(e.locks) > 0 &&
		!e.whole && e.remote == nil && e.from == nil && e.flows()[1].results != 0
}
