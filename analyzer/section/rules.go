// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A rule says why a candidate is not a pair. The rules are asked in their order; found are the
// candidates with the same act.
type rule struct {
	name string
	says func(p *pair, found []*pair) bool
}

func rules() []rule {
	return []rule{
		{"looked again", func(p *pair, _ []*pair) bool { return p.act.lookedAgain() }},
		{"looked in between", (*pair).lookedBetween},
		{"claimed", func(p *pair, _ []*pair) bool { return p.claimed() }},
		{"callers hold a lock", func(p *pair, _ []*pair) bool { return p.callersHold() }},
		{"idle flag", func(p *pair, _ []*pair) bool {
			if p.registers() {
				return false
			}
			p.small = p.nothingDone() && p.somethingDone()
			return p.idle() || p.nothingDone() && !p.small
		}},
		{"arbitrated", func(p *pair, _ []*pair) bool { return p.arbitrated() }},
		{"undecided", func(p *pair, _ []*pair) bool { return p.undecided() }},
		{"commutes", func(p *pair, _ []*pair) bool { return p.commutes() }},
		{"own object", func(p *pair, _ []*pair) bool { return p.ownObject() }},
	}
}

// excluded reports whether a rule says that a candidate is no pair.
func (f *function) excluded(p *pair, found []*pair) bool {
	for _, r := range rules() {
		if r.says(p, found) {
			f.in.excluded[r.name]++
			return true
		}
	}
	return false
}

// lookedAgain reports whether a write depends on a look at its point in its own section, and that
// look can end the section without a write. Such a look, only to choose between two writes, is no
// check. For a delete only writes of the same point count.
func (e *event) lookedAgain() bool {
	if e.looks == 0 {
		e.looks = 1 // ends recursion
		if e.from != nil && e.from.lookedAgain() || e.looksHere() {
			e.looks = 2
		}
	}
	return e.looks == 2
}

// looksHere is lookedAgain for looks of the function that e is an event of.
func (e *event) looksHere() bool {
	if e.innerLock() {
		return false // its section is in the callee
	}
	f := e.f
	for _, r := range f.summary() {
		if !r.isWrite() && !r.whole && r.at != e.at && r.samePoint(e) && r.sameKey(e) &&
			f.section(r, e) && e.affected(r.slices()[0]).made && f.endsWithout(r, e) {
			return true
		}
	}
	return false
}

// endsWithout reports whether a section can end after a look without a write.
func (f *function) endsWithout(look, act *event) bool {
	writes := make(map[ssa.Instruction]bool)
	for _, w := range f.summary() {
		if w.isWrite() && w.atomic == act.atomic &&
			(act.op != compiled.Delete || w.samePoint(act)) {
			writes[w.at] = true
		}
	}
	l := f.lockFlow()
	return f.ReachesAny(look.at, func(instr ssa.Instruction) bool {
		_, ret := instr.(*ssa.Return)
		return ret || l.unlocksAny(instr)
	}, func(instr ssa.Instruction) bool { return writes[instr] })
}

// lookedBetween reports whether another check of the act always comes between, or the act has a
// check of its own in what the function calls: that pair is the one. If a lock is held from that
// check to the act, there is no pair at all.
func (p *pair) lookedBetween(found []*pair) bool {
	for _, other := range found {
		if other.check.at != p.check.at &&
			p.f.AlwaysBetween(p.check.at, other.check.at, p.act.at) {
			return true
		}
	}
	return p.act.hasPair()
}

// hasPair reports whether an event of a callee is the act of a pair of the callee.
func (e *event) hasPair() bool {
	for from := e.from; from != nil; from = from.from {
		if from.told != nil {
			return from.told.Paired
		}
		for _, p := range from.f.pairs() {
			if p.act == from && !p.small {
				return true
			}
		}
	}
	return false
}

// claimed reports whether the section of the check writes the point itself, and no value goes from
// the check to the act: who has claimed goes on alone. A claim is an insertion, an assignment or a
// count, at most one call deep.
func (p *pair) claimed() bool {
	if p.data {
		return false
	}
	if from := p.check.from; from != nil && (from.claims(0) || from.counted()) {
		return true
	}
	claims := make(map[ssa.Instruction]bool)
	for _, w := range p.check.claimedBy(1) {
		if w.counts() && p.f.section(w, p.check) {
			return true // before the look
		}
		claims[w.at] = w.at != p.act.at
	}
	return len(claims) > 0 && !p.f.Reaches(p.check.at, p.act.at,
		func(instr ssa.Instruction) bool { return claims[instr] })
}

// counted reports whether the section of a read, however deep in calls, counts: it gives a number.
func (e *event) counted() bool {
	return slices.ContainsFunc(e.claimedBy(0), func(w *event) bool { return w.counts() }) ||
		e.from != nil && e.from.counted()
}

// claims reports whether the section of a read claims its point, by at most some calls.
func (e *event) claims(depth int) bool {
	if e.told != nil {
		return e.told.Claims[min(depth, 1)]
	}
	return len(e.claimedBy(depth)) > 0 || depth > 0 && e.from != nil && e.from.claims(depth-1)
}

// claimedBy lists the claims of a point in the section of a read, by at most some calls.
func (e *event) claimedBy(depth int) (list []*event) {
	if e.told != nil || e.innerLock() {
		return nil // its section is in the callee
	}
	for _, w := range e.f.summary() {
		if !w.isWrite() || w.depth > depth || w.at == e.at || !w.samePoint(e) || !w.sameKey(e) {
			continue
		}
		switch w.op {
		case compiled.Delete, compiled.WriteAll, compiled.WriteInner:
			continue
		}
		if e.f.section(e, w) || w.counts() && e.f.section(w, e) {
			list = append(list, w)
		}
	}
	return list
}

// counts reports whether a write counts: x++ gives each section a number of its own.
func (s *site) counts() bool { return s.op == compiled.UpdateVar || s.op == compiled.Update }

// callersHold reports whether the function is called with a lock held by all that call it.
func (p *pair) callersHold() bool { return p.f.calledLocked(p.lock.full(), 0) }

// calledLocked reports whether all callers of a function hold a lock other than one, or are called
// so themselves. By convention the function's name may say it.
func (f *function) calledLocked(but string, depth int) bool {
	callers := f.in.callers[f]
	if depth > 3 || len(callers) == 0 || f.exported() || f.Parent() != nil || f.in.escaped[f] {
		return false
	}
	for _, call := range callers {
		caller := f.in.of[call.Parent()]
		if caller == nil {
			return false
		}
		holds := false
		for _, k := range caller.lockFlow().at(call) {
			holds = holds || k.name.full() != but
		}
		if !holds && !caller.calledLocked(but, depth+1) {
			return false
		}
	}
	return true
}

// idle reports whether the act stores a constant, and nothing happens between check and act.
func (p *pair) idle() bool {
	if p.first || p.check.from != nil || p.act.from != nil || p.act.op != compiled.WriteVar {
		return false
	}
	if _, ok := p.act.stored.(*ssa.Const); !ok {
		return false
	}
	l := p.f.lockFlow()
	happens := false
	p.f.Each(func(instr ssa.Instruction) {
		switch instr.(type) {
		case *ssa.Call, *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Select:
		default:
			return
		}
		if happens || instr == p.act.at || len(l.ops[instr]) > 0 || counts(instr) {
			return
		}
		happens = p.f.Reaches(p.check.at, instr, nil) && p.f.Reaches(instr, p.act.at, nil)
	})
	return !happens
}
