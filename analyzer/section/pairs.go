// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A pair is a check and an act in two sections of a lock.
type pair struct {
	f          *function
	check, act *event
	lock       name
	how        affect // what of the act depends on the check
	data       bool   // its value does, by data alone; or it is a first value
	first      bool   // the act writes a first value: see first.go
	outer      bool   // another lock is held from the check to the act: it only looks in between
	latest     bool   // an act counts only if no later look of the function's came before it
	small      bool   // what is done between check and act does little harm if it is done twice
}

// pairs finds the pairs of f.
func (f *function) pairs() []*pair {
	if f.found != nil {
		return *f.found
	}
	f.found = new([]*pair) // ends recursion
	var reads, writes []*event
	for _, e := range f.summary() {
		switch {
		case e.header || e.whole || len(e.locks) == 0 || e.class() == backings:
		case e.isWrite():
			writes = append(writes, e)
		default:
			reads = append(reads, e)
		}
	}
	var list []*pair
	all := make([][]*pair, len(writes))
	for i, w := range writes {
		for _, r := range reads {
			if p := f.candidate(r, w); p != nil {
				all[i] = append(all[i], p)
			}
		}
	}
	findFirst(all)
	for _, found := range all {
		for _, p := range found {
			if !p.outer && !f.excluded(p, found) {
				list = append(list, p)
			}
		}
	}
	*f.found = f.certain(list, reads, writes)
	return *f.found
}

// certain lists the pairs whose check and act are known at run time by the places of their
// accesses. A helper that is called twice has one place for both calls. There is no pair if one of
// the calls may come in the place of the check, or the act, and is none. If another look always
// comes before such an act, and the two are a pair, the run tells the acts apart.
func (f *function) certain(list []*pair, reads, writes []*event) (kept []*pair) {
	// A small pair is none for one that is not: what comes in its place would be reported as that.
	paired := func(small bool, check, act func(*event) bool) bool {
		return slices.ContainsFunc(list, func(p *pair) bool {
			return (small || !p.small) && check(p.check) && act(p.act)
		})
	}
	is := func(e *event) func(*event) bool { return func(x *event) bool { return x == e } }
	at := func(e *event) func(*event) bool {
		return func(x *event) bool { return x.site == e.site }
	}
	for _, p := range list {
		other := slices.ContainsFunc(writes, func(w *event) bool {
			if !p.act.isLike(w) || paired(p.small, at(p.check), is(w)) ||
				!f.Reaches(p.check.at, w.at, nil) {
				return false
			}
			again := p.looksAgain(w, list)
			p.latest = p.latest || again
			return !again
		}) || slices.ContainsFunc(reads, func(r *event) bool {
			return p.check.isLike(r) && !paired(p.small, is(r), at(p.act)) &&
				!p.check.at.Block().Dominates(r.at.Block()) &&
				f.Reaches(r.at, p.act.at,
					func(instr ssa.Instruction) bool { return instr == p.check.at })
		})
		if !other {
			kept = append(kept, p)
		} else {
			f.in.excluded["same place"]++
		}
	}
	return kept
}

// looksAgain reports whether another check than p's always comes before an act, and is its check.
func (p *pair) looksAgain(act *event, list []*pair) bool {
	return slices.ContainsFunc(list, func(q *pair) bool {
		return q.act == act && q.check.site != p.check.site && q.check.samePoint(p.check) &&
			q.check.keyed == p.check.keyed && p.f.AlwaysBetween(p.check.at, q.check.at, act.at)
	})
}

// isLike reports whether another event has the same place, and may have the same point.
func (e *event) isLike(other *event) bool {
	return e != other && e.site == other.site && e.samePoint(other) && e.sameKey(other)
}

// candidate is the pair of a read and a write if there is one, by all but the rules.
func (f *function) candidate(r, w *event) *pair {
	if r.at == w.at || !r.samePoint(w) {
		return nil
	}
	shared, outer, ok := f.apart(r, w)
	if !ok || !f.Reaches(r.at, w.at, nil) || !f.sameObject(r, w) {
		return nil
	}
	s := r.slices()
	p := &pair{f: f, check: r, act: w, lock: shared, outer: outer, how: w.affected(s[0]),
		data: w.affected(s[1]).value}
	if !p.how.any() || !r.sameKey(w) && !w.affected(s[1]).key {
		return nil
	}
	return p
}

// Classes of operations: those of one class have points in common.
const (
	variables = iota
	elements  // of a slice, or a container
	maps
	backings // the memory of elements
)

// class is the class of an operation.
func (s *site) class() int {
	switch s.op {
	case compiled.ReadVar, compiled.WriteVar, compiled.UpdateVar:
		return variables
	case compiled.ReadInner, compiled.WriteInner:
		return elements
	case compiled.ReadBacking, compiled.WriteBacking:
		return backings
	}
	return maps
}

// samePoint reports whether two events may be of one variable, by their names and terms.
func (e *event) samePoint(other *event) bool {
	return e.class() == other.class() && (e.atomic != 0) == (other.atomic != 0) &&
		e.name.full() == other.name.full() && e.term == other.term
}

// sameKey reports whether two events of a map may be of one key. Those without a key are of all.
func (e *event) sameKey(other *event) bool {
	return e.keyed == "" || other.keyed == "" || e.keyed == other.keyed
}

// sameObject reports whether what the terms of two events are made of is the same at both: there is
// a way from one to the other on which nothing of it is computed again.
func (f *function) sameObject(r, w *event) bool {
	same := true
	check := func(leaf ssa.Value) (string, bool) {
		if instr, ok := leaf.(ssa.Instruction); ok && leaf.Parent() == f.Function.Function {
			same = same && f.Reaches(r.at, w.at, func(other ssa.Instruction) bool {
				return other == instr
			})
		}
		return "", false
	}
	f.Replace(r.term, check)
	if r.keyed == w.keyed {
		f.Replace(r.keyed, check)
	}
	return same
}

// apart reports whether two events are in two sections of a lock: it is let go on every way
// between. Outer says that another lock that they share is not.
func (f *function) apart(r, w *event) (shared name, outer, ok bool) {
	for _, a := range r.locks {
		for _, b := range w.locks {
			if a.term != b.term || a.name.full() != b.name.full() {
				continue
			}
			if a.inner || b.inner || !f.Reaches(r.at, w.at, f.locks.unlocks(a.term)) {
				shared, ok = a.name, true
			} else {
				outer = true
			}
		}
	}
	return shared, outer, ok
}

// section reports whether two events may be in one section: there is a way from one to the other
// without an instruction that lets a lock go.
func (f *function) section(a, b *event) bool {
	if a.innerLock() || b.innerLock() {
		return false
	}
	return a.at == b.at || f.Reaches(a.at, b.at, func(instr ssa.Instruction) bool {
		return f.lockFlow().unlocksAny(instr)
	})
}

// innerLock reports whether a callee takes a lock of an event.
func (e *event) innerLock() bool {
	for _, k := range e.locks {
		if k.inner {
			return true
		}
	}
	return false
}

// unlocksAny reports whether an instruction lets a lock go.
func (l *locks) unlocksAny(instr ssa.Instruction) bool {
	for _, op := range l.ops[instr] {
		if !op.takes {
			return true
		}
	}
	return false
}

// exported reports whether other packages can call a function by its name.
func (f *function) exported() bool {
	obj := f.Object()
	return obj != nil && obj.Exported() && f.Parent() == nil && obj.Pkg().Name() != "main"
}
