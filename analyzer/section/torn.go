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
	sets := f.own((*event).setsField)
	for _, a := range sets {
		for _, b := range sets {
			if !a.isBeside(b) || a.at == b.at || !a.express().ok || !b.express().ok ||
				!f.in.setTogether(a, b) {
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

// own lists the accesses by f itself that are of a kind.
func (f *function) own(is func(*event) bool) (list []*event) {
	for _, e := range f.summary() {
		if e.from == nil && is(e) {
			list = append(list, e)
		}
	}
	return list
}

// setsField reports whether a write sets a field under a lock, whatever was there.
func (e *event) setsField() bool {
	return e.op == compiled.WriteVar && e.atomic == compiled.NotAtomic && len(e.locks) > 0 &&
		!e.whole && e.remote == nil
}

// isBeside reports whether two accesses of a function itself are to two fields of one object.
func (e *event) isBeside(other *event) bool {
	a, ok := e.addr.(*ssa.FieldAddr)
	b, ok2 := other.addr.(*ssa.FieldAddr)
	return ok && ok2 && a.Field != b.Field && e.f.Term(a.X).Text == e.f.Term(b.X).Text
}

// setTogether reports whether each function of the package that writes one of two fields writes the
// other as well, and each of them once.
func (p *program) setTogether(a, b *event) bool {
	writers := p.writersOf(a)
	if len(writers) != len(p.writersOf(b)) {
		return false
	}
	for f, n := range writers {
		if n != 1 || p.writersOf(b)[f] != 1 {
			return false
		}
	}
	return true
}

// writersOf says how often each function writes the variable of an event itself. Large packages
// have a million events, and many pairs of fields: so the writers of all variables are found once.
func (p *program) writersOf(e *event) map[*function]int {
	if p.writers == nil {
		p.writers = make(map[string]map[*function]int)
		for _, f := range p.functions {
			for _, w := range f.own(func(e *event) bool { return e.isWrite() }) {
				name := w.name.full()
				if p.writers[name] == nil {
					p.writers[name] = make(map[*function]int)
				}
				p.writers[name][f]++
			}
		}
	}
	return p.writers[e.name.full()]
}

// tornUsers are the pairs of a function that reads two fields of one object in one section, and
// returns both.
func (f *function) tornUsers() (list []linkedPair) {
	reads := f.own((*event).readsField)
	for _, a := range reads {
		for _, b := range reads {
			// what a read flows to comes last: that takes time and memory
			if a.isBeside(b) && f.section(a, b) && a.express().ok && b.express().ok &&
				a.isReturned() && b.isReturned() {
				list = append(list, linkedPair{a, b, compiled.TornPair})
			}
		}
	}
	return list
}

// readsField reports whether an event reads a field under a lock.
func (e *event) readsField() bool {
	return e.op == compiled.ReadVar && e.atomic == compiled.NotAtomic && len(e.locks) > 0 &&
		!e.whole && e.remote == nil
}

// isReturned reports whether a read goes to a result, by data.
func (e *event) isReturned() bool { return e.flows()[1].results != 0 }
