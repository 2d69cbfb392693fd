// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest/weakest"
)

// A finder searches the formulas of one type, whose objects and roles are right.
type finder struct {
	*inference
	*sampler
	odd      oddities
	found    []*weakest.Formula // by pair
	supports []int              // by pair: more than was asked for, if a formula had to be simpler
	why      []string           // by pair: why it has no weaker formula
	refuted  map[int]bool       // pairs whose formula spec test refutes again and again
}

const (
	maxRounds   = 8   // of samples for one pair
	maxVariants = 300 // cases of each part of a formula, of which the next round has variants
	tooFew      = 5   // cases that are worth a word, though no formula
)

// works reports whether a call of a method has made a difference: by itself, or to another call.
func (f *finder) works(m *ecl.Method) bool {
	if slices.Contains(f.odd.Work, m.Index) {
		return true
	}
	for i, p := range f.plan.spec.Pairs {
		if (p.M[0] == m || p.M[1] == m) && slices.ContainsFunc(f.sampler.pairs[i].cases,
			func(c tried) bool { return !c.Commuted }) {
			return true
		}
	}
	return false
}

// all finds a formula for each pair.
func (f *finder) all() (err error) {
	n := len(f.sampler.pairs)
	f.refuted = make(map[int]bool)
	f.found, f.why, f.supports = make([]*weakest.Formula, n), make([]string, n), make([]int, n)
	if err := f.learn(); err != nil {
		return err
	}
	blind := f.blind()
	for i := range f.sampler.pairs {
		f.supports[i] = f.Support
		if m := f.plan.spec.Pairs[i].M; f.Progress != nil {
			f.Progress(i, len(f.sampler.pairs), m[0].Name+", "+m[1].Name)
		}
		if err := f.pair(i); err != nil {
			return err
		}
	}
	if f.blind() == blind {
		return nil
	}
	for i := range f.sampler.pairs { // a method turned out not to return after all
		if err := f.pair(i); err != nil {
			return err
		}
	}
	return nil
}

// pair searches the formula of one pair. Each round tries it on new cases, half of them variants of
// those in which it holds, until a round changes nothing.
func (f *finder) pair(i int) error {
	f.found[i] = new(weakest.Formula)
	if f.hopeless(i) {
		return nil
	}
	if err := f.more(i, f.Checks, nil); err != nil {
		return err
	}
	f.found[i] = f.find(i, f.supports[i])
	for range maxRounds {
		if f.found[i].Never() && len(f.found[i].Also) == 0 {
			break
		}
		if err := f.more(i, f.Checks, f.holding(i)); err != nil {
			return err
		}
		before := f.found[i]
		if f.found[i] = f.find(i, f.supports[i]); reflect.DeepEqual(before, f.found[i]) {
			break
		}
	}
	if err := f.learn(); err != nil {
		return err
	}
	if f.hopeless(i) { // it was found late
		f.found[i] = new(weakest.Formula)
	}
	return nil
}

// learn asks what is known of methods. A server that was started anew has forgotten what it knew.
func (f *finder) learn() error {
	odd, err := f.early()
	if err != nil {
		return err
	}
	odd.Work = append(odd.Work, f.odd.Work...)
	if f.anew {
		odd.Always = append(odd.Always, f.odd.Always...)
		f.anew = false
	}
	for m, end := range f.odd.Ends {
		if odd.Ends[m] == "" {
			odd.Ends[m] = end
		}
	}
	f.odd = odd
	return nil
}

// find is the weakest formula for the cases of a pair.
func (f *finder) find(i, support int) *weakest.Formula {
	m := f.plan.spec.Pairs[i].M
	p := &weakest.Problem{Bits: f.bits(i), Same: m[0] == m[1], Support: support}
	strict := f.blind() != nil
	for _, c := range f.sampler.pairs[i].cases {
		if strict && !c.alike {
			c.Commuted = false
		}
		p.Samples = append(p.Samples, c.Sample)
	}
	return weakest.Find(p)
}

// blind is a method that might tell objects apart, and of which that is not seen. If there is one,
// only objects of equal parts count as equal.
func (f *finder) blind() *ecl.Method {
	for _, m := range f.plan.spec.Methods {
		if f.idle(m) != "" {
			return m
		}
	}
	return nil
}

// unused reports whether two calls of a pair leave the same state even where they do not commute.
// Then they commute if nobody looks at their results. That is of use for sums; where a formula has
// keys it says enough.
func (f *finder) unused(i int) bool {
	p, found := f.plan.spec.Pairs[i], f.found[i]
	for _, m := range p.M {
		if m.Real != 1 || m.Results[0] == "_" || m.Role == ecl.Observer || m.Callback != "" {
			return false
		}
	}
	n := 0
	for _, c := range f.sampler.pairs[i].cases {
		if !c.alike {
			return false
		}
		if !c.Commuted {
			n++
		}
	}
	return n >= f.Support && len(found.Guards) == 0 && !f.hopeless(i) && !f.refuted[i]
}

// hopeless reports whether no formula can be claimed for a pair.
func (f *finder) hopeless(i int) bool {
	m := f.plan.spec.Pairs[i].M
	return f.idle(m[0]) != "" || f.idle(m[1]) != ""
}

// idle says why nothing is known of a method, "" if something is.
func (f *finder) idle(m *ecl.Method) string {
	switch {
	case f.ended[m.Index] != "":
		return "a call ends the program: " + f.ended[m.Index]
	case f.blocked[m.Index]:
		return fmt.Sprintf("a call does not return within %v", f.Timeout)
	case !f.returned[m.Index]:
		return "no call returned: it " + plain(f.odd.Ends[m.Index])
	case slices.Contains(f.odd.Always, m.Index):
		return "its results are random"
	case !f.works(m):
		return "no call that was tried made a difference (-sample gives it other arguments)"
	}
	return ""
}

// holding lists cases in which the formula of a pair holds, some for each part of it.
func (f *finder) holding(i int) (list []testCase) {
	cases := f.sampler.pairs[i].cases
	for _, part := range f.found[i].Parts() {
		n := 0
		for _, k := range f.rng.Perm(len(cases)) {
			if c := cases[k]; n < maxVariants && (part.Holds(c.Truths[0]) ||
				part.Holds(c.Truths[1])) {
				list = append(list, c.testCase)
				n++
			}
		}
	}
	return list
}

// report fills in what was found. A formula that the language does not take gets simpler, and one
// that spec test refutes is tried on more cases first.
func (f *finder) report() error {
	f.out.Object = f.object.expr
	if err := f.nothing(); err != nil {
		return err
	}
	if err := f.accept(); err != nil {
		return err
	}
	for again := range 2 {
		refuted, err := f.test()
		if err != nil {
			return err
		}
		for i, says := range refuted {
			if again > 0 {
				f.found[i], f.refuted[i] = new(weakest.Formula), true
				f.why[i] = "spec test refutes what was inferred: " + says
				continue
			}
			if err := f.more(i, 4*f.Checks, f.holding(i)); err != nil {
				return err
			}
			if err := f.pair(i); err != nil {
				return err
			}
		}
		if len(refuted) == 0 {
			break
		}
		if err := f.accept(); err != nil {
			return err
		}
	}
	without := make(map[string]bool) // spec test would end with them
	for i, m := range f.plan.spec.Methods {
		exits := !f.returned[i] && f.odd.Ends[i] == "calls runtime.Goexit"
		without[m.Name] = exits || f.ended[i] != ""
	}
	f.out.Lines = f.lines(without)
	f.out.Pairs = nil
	for i := range f.found {
		if m := f.plan.spec.Pairs[i].M; without[m[0].Name] || without[m[1].Name] {
			continue
		}
		f.out.Pairs = append(f.out.Pairs, f.result(i))
	}
	for _, m := range f.plan.spec.Methods {
		if why := f.idle(m); why != "" {
			f.out.Idle = append(f.out.Idle, IdleMethod{m.Name, why})
		}
	}
	return nil
}

// nothing is the error that no method could be called.
func (f *finder) nothing() error {
	late := f.neverReturned()
	if len(late) < len(f.methods) {
		return nil
	}
	end := "does not return within " + f.Timeout.String()
	switch {
	case f.ended[late[0].Index] != "":
		end = "ends the program: " + f.ended[late[0].Index]
	case !f.blocked[late[0].Index]:
		end = plain(f.odd.Ends[late[0].Index])
	}
	return &ecl.Error{Pos: f.scope.short(f.Pos), Text: fmt.Sprintf(
		"nothing can be inferred of %s: %s %s on an object made by %s", f.plan.spec.Name,
		late[0].Name, end, f.out.Object),
		Hint: "say how an object is made: -new EXPR"}
}

// accept makes formulas simpler until the specification compiles.
func (f *finder) accept() error {
	const enough = 1000
	for range enough {
		spec, err := f.parse(f.lines(nil))
		if err == nil {
			if _, err = ecl.Compile(spec); err == nil {
				return nil
			}
		}
		i := f.mostComplex()
		if i < 0 {
			return fmt.Errorf("%v: %w", f.Pos, err)
		}
		f.supports[i] *= 4
		f.found[i] = f.find(i, f.supports[i])
		f.why[i] = "a weaker formula has more conditions than a specification can have"
	}
	return errors.New("no simpler formulas")
}

// mostComplex is the pair whose formula has most literals, -1 if there are none left.
func (f *finder) mostComplex() int {
	worst, most := -1, 0
	for i, found := range f.found {
		n := 0
		for _, part := range found.Parts() {
			n += part.Size()
		}
		if n > most {
			worst, most = i, n
		}
	}
	return worst
}

// test holds the specification against spec test, with the cases that it has by default. It lists
// what that refutes. Methods for which nothing is claimed are left out: they would end it, or take
// most of the time.
func (f *finder) test() (refuted map[int]string, err error) {
	without := make(map[string]bool)
	for i, m := range f.plan.spec.Methods {
		if f.blocked[i] || !f.returned[i] || slices.Contains(f.odd.Always, i) {
			without[m.Name] = true
		}
	}
	spec, err := f.spec(f.lines(without))
	if err != nil {
		return nil, err
	}
	o := f.Options
	o.Given, o.Checks, o.Seed = []*ecl.Spec{spec}, testCases, 1
	r, err := Run(o)
	if err != nil {
		return nil, err
	}
	refuted = make(map[int]string)
	for _, t := range r.Types {
		for _, p := range t.Pairs {
			if p.Refuted != nil {
				refuted[f.index(p.First, p.Second)] = p.Refuted.Says
			}
		}
	}
	return refuted, nil
}

// index is that of a pair, in whichever order its methods are named.
func (f *finder) index(a, b string) int {
	return slices.IndexFunc(f.plan.spec.Pairs, func(p *ecl.Pair) bool {
		return p.M[0].Name == a && p.M[1].Name == b || p.M[0].Name == b && p.M[1].Name == a
	})
}
