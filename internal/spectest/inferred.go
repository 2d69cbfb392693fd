// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest/weakest"
)

// lines are the directives of the specification, but for those of the methods to leave out.
func (f *finder) lines(without map[string]bool) []string {
	list := f.Directives(f.change, without)
	open := false // a pair has the default
	for i, p := range f.plan.spec.Pairs {
		if without[p.M[0].Name] || without[p.M[1].Name] || observers(p) {
			continue
		}
		head := numberedCall(p.M[0], 0) + ", " + numberedCall(p.M[1], 1) + ": "
		if found := f.found[i]; found.Never() {
			open = true
		} else {
			list = append(list, "//ecl:commute "+head+f.formula(i, found))
		}
	}
	for i, p := range f.plan.spec.Pairs {
		if without[p.M[0].Name] || without[p.M[1].Name] || observers(p) {
			continue
		}
		head := numberedCall(p.M[0], 0) + ", " + numberedCall(p.M[1], 1) + ": "
		for _, text := range f.also(i) {
			list = append(list, "//ecl:also "+head+text)
		}
	}
	if open {
		list = append(list, "//ecl:default false")
	}
	return list
}

func observers(p *ecl.Pair) bool {
	return p.M[0].Role == ecl.Observer && p.M[1].Role == ecl.Observer
}

// numberedCall prints a call, with its number behind its values.
func numberedCall(m *ecl.Method, call int) string {
	list := func(names []string) string {
		var vs []string
		for _, name := range names {
			if name != "_" {
				name = numbered(name, call)
			}
			vs = append(vs, name)
		}
		return "(" + strings.Join(vs, ", ") + ")"
	}
	s := m.Name + list(m.Params)
	if m.Real > 0 {
		s += "/" + list(m.Results[:m.Real])
	}
	return s
}

// formula prints the formula of a pair, without its alternatives.
func (f *finder) formula(pair int, found *weakest.Formula) string {
	if found.Always() {
		return "true"
	}
	var parts, guards []string
	if len(found.Guards) > 0 {
		differ := f.term(pair, weakest.Term{Set: found.Differ, Truths: found.Differ})
		for _, g := range found.Guards {
			guards = append(guards, f.term(pair, g))
		}
		switch {
		case len(guards) > 1:
			differ += " && (" + strings.Join(guards, " || ") + ")"
		case guards[0] != "":
			differ += " && " + guards[0]
		}
		parts = append(parts, differ)
	}
	for _, t := range found.Terms {
		parts = append(parts, f.term(pair, t))
	}
	if len(parts) == 0 {
		return "false"
	}
	return strings.Join(parts, " || ")
}

// also prints the alternatives of a pair.
func (f *finder) also(pair int) (list []string) {
	for _, t := range f.found[pair].Also {
		list = append(list, f.term(pair, t))
	}
	if f.unused(pair) {
		m := f.plan.spec.Pairs[pair].M
		list = append(list, fmt.Sprintf("unused(%s) && unused(%s)", numbered(m[0].Results[0], 0),
			numbered(m[1].Results[0], 1)))
	}
	return list
}

// term prints a conjunction.
func (f *finder) term(pair int, t weakest.Term) string {
	var parts []string
	for i := range weakest.MaxBits {
		if t.Set>>i&1 != 0 {
			parts = append(parts, f.literal(pair, i, t.Truths>>i&1 != 0))
		}
	}
	return strings.Join(parts, " && ")
}

// result counts the cases of a pair.
func (f *finder) result(i int) InferredPair {
	p, found := f.plan.spec.Pairs[i], f.found[i]
	r := InferredPair{First: p.M[0].Name, Second: p.M[1].Name, Formula: f.formula(i, found),
		Observers: observers(p), Why: f.why[i]}
	if r.Observers {
		r.Formula = "true"
	}
	r.Also = f.also(i)
	for _, c := range f.sampler.pairs[i].cases {
		switch {
		case r.Observers || found.Claims(c.Sample):
			r.Says++
		case c.Commuted:
			r.Not++
		default:
			r.Not++
			r.Differed++
		}
	}
	if r.Why == "" && !found.Always() && !r.Observers && !f.hopeless(i) {
		r.Why = f.rare(i)
	}
	return r
}

// rare names a part of a weaker formula that nothing refuted, and that too few cases speak for.
func (f *finder) rare(i int) string {
	found := f.found[i]
	if len(f.sampler.pairs[i].cases) == 0 {
		return "no case was tried in which both calls returned"
	}
	if m := f.blind(); m != nil && found.Never() &&
		slices.ContainsFunc(f.sampler.pairs[i].cases, func(c tried) bool { return c.Commuted }) {
		return "what " + m.Name + " might tell apart is not seen"
	}
	var left []tried // cases in which the calls commuted, although the formula doesn't say so
	for _, c := range f.sampler.pairs[i].cases {
		if c.Commuted && !found.Claims(c.Sample) {
			left = append(left, c)
		}
	}
	best, most := "", 0
	for _, part := range f.find(i, min(tooFew, f.Support)).Parts() {
		n := 0
		for _, c := range left {
			if part.Holds(c.Truths[0]) || part.Holds(c.Truths[1]) {
				n++
			}
		}
		if n > most && part.Size() <= 2 && !slices.Contains(found.Parts(), part) {
			best, most = f.term(i, part), n
		}
	}
	if most < tooFew {
		return ""
	}
	return fmt.Sprintf("%s: they commuted in all %d cases, too few to claim it", best, most)
}
