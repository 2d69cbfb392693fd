// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
)

// An Inference says of which type formulas are searched, and how.
type Inference struct {
	Options
	Support int            // how many cases in favour of a term it takes to claim it
	Pos     token.Position // of the type, for errors
	// Directives are those of the specification but for its formulas. The first set has methods
	// that only seem to observe, the second one those to leave out.
	Directives func(change, without map[string]bool) []string
	// Progress is called before the formula of a pair is searched, unless it is nil: so many of all
	// pairs are done. It begins anew where other objects or roles are tried.
	Progress func(done, all int, pair string)
}

// An Inferred is the weakest specification that was not refuted.
type Inferred struct {
	Object  string   // the expression that made the objects
	Note    string   // on how they were made
	Changes []string // methods that seem to observe, and make a difference
	Idle    []IdleMethod
	Pairs   []InferredPair
	Lines   []string // the directives
}

// An IdleMethod is one of which nothing is claimed.
type IdleMethod struct{ Name, Why string }

// An InferredPair is the formula of two methods, and how often it was tried.
type InferredPair struct {
	First, Second string
	Formula       string // over the calls' values, with their number behind each
	Also          []string
	Observers     bool // both are: they have no formula of their own
	Says          int  // cases in which it says that the calls commute, and they did
	Not           int  // cases in which it doesn't say so
	Differed      int  // how many of these did not commute
	Why           string
}

// An inference is one search.
type inference struct {
	Inference
	scope  *scope
	tmp    string
	change map[string]bool // as Directives has it
	made   int             // which constructor makes the objects; 0: none
	out    Inferred

	zeroEnd string // how a call of the zero value ended, if it is of no use
}

const (
	firstCases = 200 // of each pair, to see whether objects and roles are right
	testCases  = 1000
)

// Infer searches the weakest formulas for all pairs of a type's methods. The error is about the
// type or its package.
func Infer(o Inference) (*Inferred, error) {
	inf := &inference{Inference: o, change: make(map[string]bool)}
	lines := append(o.Directives(inf.change, nil), "//ecl:default false")
	spec, err := inf.spec(lines)
	if err != nil {
		return nil, err
	}
	inf.Given = []*ecl.Spec{spec}
	t, err := load(inf.Options)
	if err != nil {
		return nil, err
	}
	if len(t.specs) == 0 {
		return nil, fmt.Errorf("%v: nothing is inferred of %s: %s", t.short(inf.Pos), spec.Name,
			t.skipped[0].Why)
	}
	inf.scope = newScope(t)
	tmp, remove, err := temp()
	if err != nil {
		return nil, err
	}
	defer remove()
	inf.tmp = tmp
	return inf.run()
}

// parse parses the directives of the type.
func (inf *inference) parse(lines []string) (*ecl.Spec, error) {
	head := "//ecl:type " + inf.Package + "." + inf.Type + "\n"
	list, err := ecl.Parse("", 1, 1, head+strings.Join(lines, "\n")+"\n")
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// spec parses directives, and gives all that they say the position of the type.
func (inf *inference) spec(lines []string) (*ecl.Spec, error) {
	s, err := inf.parse(lines)
	if err != nil {
		return nil, err
	}
	s.Pos, s.NewPos = inf.Pos, inf.Pos
	for _, m := range s.Methods {
		m.Pos = inf.Pos
	}
	for _, p := range s.Pairs {
		p.Pos = inf.Pos
	}
	for i := range s.Samples {
		s.Samples[i].Pos = inf.Pos
	}
	return s, nil
}

// run begins anew where objects turn out to be of no use, or roles to be wrong.
func (inf *inference) run() (*Inferred, error) {
	next := 0 // of the constructors
	for {
		s, err := inf.sampler()
		if err != nil {
			return nil, err
		}
		again, err := inf.attempt(s, &next)
		s.stop()
		if err != nil {
			return nil, err
		}
		if !again {
			return &inf.out, nil
		}
	}
}

// sampler builds and starts a server for the type.
func (inf *inference) sampler() (*sampler, error) {
	spec, err := inf.spec(append(inf.Directives(inf.change, nil), "//ecl:default false"))
	if err != nil {
		return nil, err
	}
	p, err := newPlanOf(inf.scope, spec, true)
	if err != nil {
		return nil, err
	}
	if inf.made > 0 { // found anew, for its arguments may be variables of the plan
		p.object = p.constructors()[inf.made-1].object
	}
	p.ask()
	binary, err := build(inf.scope, []*plan{p}, inf.tmp)
	if err != nil {
		return nil, err
	}
	dir := inf.scope.dir
	if inf.scope.external {
		dir = inf.tmp
	}
	c := &client{binary: binary, dir: dir, timeout: inf.Timeout}
	s := newSampler(p, c, inf.Seed)
	return s, c.start()
}

// attempt searches the formulas with one object and one set of roles. It reports whether others are
// to be tried.
func (inf *inference) attempt(s *sampler, next *int) (again bool, err error) {
	for i := range s.pairs {
		if err := s.more(i, firstCases, nil); err != nil {
			return false, err
		}
	}
	if s.object.zero || inf.made > 0 {
		if again, err := inf.construct(s, next); again || err != nil {
			return again, err
		}
	}
	if inf.demote(s) {
		return true, nil
	}
	f := &finder{inference: inf, sampler: s}
	if err := f.all(); err != nil {
		return false, err
	}
	if inf.demote(s) { // it was found late
		return true, nil
	}
	return false, f.report()
}

// construct chooses the next constructor if some methods never return on the object. If there is no
// other one it is the zero value for good.
func (inf *inference) construct(s *sampler, next *int) (again bool, err error) {
	ends, err := s.early()
	late := s.neverReturned()
	if err != nil || len(late) == 0 || *next > maxConstructors {
		return false, err
	}
	list := s.constructors()
	if *next >= min(len(list), maxConstructors) {
		again = inf.made > 0
		inf.made, inf.out.Note, *next = 0, "", maxConstructors+1
		return again, nil
	}
	if inf.zeroEnd == "" {
		inf.zeroEnd = late[0].Name + " " + plain(ends.Ends[late[0].Index])
	}
	inf.out.Note = fmt.Sprintf("objects come from %s, for on the zero %s %s", list[*next].shown,
		s.spec.Name, inf.zeroEnd)
	*next++
	inf.made = *next
	return true, nil
}

// demote notes a method that was taken for an observer, if two calls of observers have not
// commuted: of the methods with such calls the one with most, first of all with itself.
func (inf *inference) demote(s *sampler) bool {
	score := make(map[*ecl.Method]int)
	for i, p := range s.spec.Pairs {
		if p.M[0].Role != ecl.Observer || p.M[1].Role != ecl.Observer ||
			!slices.ContainsFunc(s.pairs[i].cases, func(c tried) bool { return !c.Commuted }) {
			continue
		}
		score[p.M[0]]++
		score[p.M[1]]++
		if p.M[0] == p.M[1] {
			score[p.M[0]] += len(s.methods)
		}
	}
	worst := ""
	most := 0
	for _, m := range s.spec.Methods {
		if score[m] > most {
			worst, most = m.Name, score[m]
		}
	}
	if most > 0 {
		inf.change[worst] = true
		inf.out.Changes = append(inf.out.Changes, worst)
	}
	return most > 0
}
