// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// entryMakers are the pairs of a function that reads a field of a map's entry, a reference count,
// and by what it saw deletes an entry of such a map in a later section. There it does not look at
// the field again.
func (f *function) entryMakers() (list []linkedPair) {
	for _, w := range f.summary() {
		of := w.element()
		if w.op != compiled.Delete || of == nil || len(w.locks) == 0 || !w.express().ok {
			continue
		}
		var found []*event
		again := false
		for _, r := range f.summary() {
			if r.op != compiled.ReadVar || r.atomic != compiled.NotAtomic || len(r.locks) == 0 ||
				!isInteger(r.instr) || !sameType(r.fieldOf(), of) ||
				!w.affected(r.slices()[0]).made {
				continue
			}
			shared, outer, apart := f.apart(r, w)
			switch {
			case f.section(r, w):
				again = true
			case r.at == w.at || outer || !apart && r.sharesLock(w) ||
				!f.Reaches(r.at, w.at, nil) || f.calledLocked(shared.full(), 0) || !r.express().ok:
			default:
				found = append(found, r)
			}
		}
		for _, r := range found {
			if !again {
				list = append(list, linkedPair{r, w, compiled.EntryGone})
			}
		}
	}
	return list
}

// sharesLock reports whether two events have a lock in common.
func (e *event) sharesLock(other *event) bool {
	for _, a := range e.locks {
		for _, b := range other.locks {
			if a.term == b.term {
				return true
			}
		}
	}
	return false
}

// entryUsers are the pairs of a function that looks an entry up, and adds to a field of it in the
// same section. No field of the entry decides whether it does.
func (f *function) entryUsers() (list []linkedPair) {
	for _, l := range f.summary() {
		of := l.element()
		if l.op != compiled.Lookup || of == nil || len(l.locks) == 0 || !l.express().ok {
			continue
		}
		for _, w := range f.summary() {
			if w.adds() && sameType(w.fieldOf(), of) && w.express().ok && f.section(l, w) &&
				w.isOf(l) && !w.decidedIn(l, of) {
				list = append(list, linkedPair{w, l, compiled.EntryGone})
			}
		}
	}
	return list
}

// decidedIn reports whether a field of an entry, of a type, is read in the section of a lookup and
// decides whether a write is made.
func (e *event) decidedIn(lookup *event, of types.Type) bool {
	for _, r := range e.f.summary() {
		if r.op == compiled.ReadVar && r.at != e.at && sameType(r.fieldOf(), of) &&
			(e.f.section(lookup, r) || e.f.section(r, e)) && e.affected(r.slices()[0]).made {
			return true
		}
	}
	return false
}

// adds reports whether a write adds to a variable of an integer type, under a lock.
func (e *event) adds() bool {
	if e.op != compiled.UpdateVar || e.atomic != compiled.NotAtomic || len(e.locks) == 0 {
		return false
	}
	sum, ok := e.stored.(*ssa.BinOp)
	return ok && sum.Op == token.ADD && isInteger(sum)
}

// isOf reports whether a write is of what a lookup has found.
func (e *event) isOf(lookup *event) bool {
	s := lookup.slices()[1]
	if call, ok := e.at.(*ssa.Call); ok {
		for _, arg := range call.Call.Args {
			if s.Values[arg] {
				return true
			}
		}
		return false
	}
	field, ok := e.addr.(*ssa.FieldAddr)
	return ok && s.Values[field.X]
}

// element is the type of the struct that the values of a map point to, nil if they don't.
func (s *site) element() types.Type {
	if s.base == nil {
		return nil
	}
	m, ok := s.base.Type().Underlying().(*types.Map)
	if !ok {
		return nil
	}
	return structAt(m.Elem())
}

// fieldOf is the type of the struct that a variable is a field of, nil if it is none.
func (s *site) fieldOf() types.Type {
	if field, ok := s.addr.(*ssa.FieldAddr); ok {
		return structAt(field.X.Type())
	}
	return nil
}

// structAt is the struct type that a pointer type leads to, nil if there is none.
func structAt(t types.Type) types.Type {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	if _, ok := p.Elem().Underlying().(*types.Struct); !ok {
		return nil
	}
	return p.Elem()
}

func sameType(a, b types.Type) bool { return a != nil && b != nil && types.Identical(a, b) }

func isInteger(instr ssa.Instruction) bool {
	v, ok := instr.(ssa.Value)
	if !ok {
		return false
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
