// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest"
	"golang.org/x/tools/go/packages"
)

// A refutation is what spec test says of a formula that is wrong, and what is claimed now.
type refutation struct{ first, second, was, now, says string }

// draftChecks is the number of cases of each pair that a draft is tested with, maxDrafts how often
// it is: each time what was refuted is made weaker.
const (
	draftChecks = 300
	maxDrafts   = 6
)

// try tests the draft on the package until nothing is refuted. Pairs whose calls have commuted in
// all cases are noted, too, unless a method that could not be called might have made a difference.
func (s *skeleton) try(p *packages.Package) {
	s.always, s.weaker = make(map[[2]string]bool), make(map[[2]string]int)
	for range maxDrafts {
		report, err := s.test(p)
		switch {
		case err != nil && len(s.making) > 0 && len(s.refuted) == 0:
			s.making = nil // the object that was guessed is of no use
			continue
		case err != nil:
			s.untested("%v", err)
			return
		case len(report.Skipped) > 0:
			s.untested("%s", report.Skipped[0].Why)
			return
		}
		t := &report.Types[0]
		if len(t.NoReturn) > 0 && len(s.making) > 0 && len(s.refuted) == 0 {
			s.making = nil
			continue
		}
		if !s.mend(t) {
			s.tried(t)
			return
		}
	}
	s.untested("formulas are refuted again and again")
}

// untested notes why the draft, or the last one, was not tested.
func (s *skeleton) untested(format string, args ...any) {
	why := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	s.outcome = "It is not tested: " + why + "."
	fmt.Fprintf(os.Stderr, "commute: the draft was not tested: %s\n", why)
}

// test runs spec test on the draft.
func (s *skeleton) test(p *packages.Package) (*spectest.Report, error) {
	text := "//ecl:type " + s.path + "." + s.name + "\n" + strings.Join(s.directives(), "\n") + "\n"
	list, err := ecl.Parse("draft", 1, 1, text)
	if err != nil {
		return nil, err
	}
	return spectest.Run(spectest.Options{Package: p.PkgPath, Type: s.name, Given: list,
		Checks: draftChecks, Seed: 1, Timeout: time.Second})
}

// mend makes the formulas weaker that were refuted. It reports whether there were some.
func (s *skeleton) mend(t *spectest.TypeReport) (some bool) {
	for _, pair := range t.Pairs {
		if pair.Refuted == nil {
			continue
		}
		some = true
		key := [2]string{pair.First, pair.Second}
		m, n := s.sketch(pair.First), s.sketch(pair.Second)
		if m == nil || n == nil {
			continue
		}
		if m.observer && n.observer { // one of the two changes something after all
			for _, k := range []*sketch{m, n} {
				k.observer, k.arbiter, k.code = false, true, nil
			}
		}
		was := s.formula(*m, *n)
		s.always[key] = false
		for s.weaker[key]++; s.formula(*m, *n) == was && was != ""; s.weaker[key]++ {
		}
		now := s.formula(*m, *n)
		if now == "" {
			now = "false"
		}
		i := slices.IndexFunc(s.refuted, func(r refutation) bool {
			return r.first == pair.First && r.second == pair.Second
		})
		if i < 0 {
			s.refuted = append(s.refuted, refutation{pair.First, pair.Second, was, now,
				pair.Refuted.Says})
		} else {
			s.refuted[i].now = now
		}
	}
	return some
}

// sketch is the method of a name.
func (s *skeleton) sketch(name string) *sketch {
	for i := range s.methods {
		if s.methods[i].name == name {
			return &s.methods[i]
		}
	}
	return nil
}

// tried says what came of the test that refuted nothing.
func (s *skeleton) tried(t *spectest.TypeReport) {
	for _, pair := range t.Pairs {
		m, n := s.sketch(pair.First), s.sketch(pair.Second)
		key := [2]string{pair.First, pair.Second}
		if len(t.NoReturn) == 0 && pair.Cases >= draftChecks/2 && s.weaker[key] == 0 &&
			pair.Held+pair.Missed == pair.Cases && m != nil && n != nil &&
			!(m.derived() && n.derived()) {
			s.always[key] = true
		}
	}
	if len(t.NoReturn) > 0 {
		s.outcome = "Not tested: " + t.Untested() + "."
		fmt.Fprintf(os.Stderr, "commute: %s\n", t.Untested())
	} else {
		s.outcome = fmt.Sprintf("It passes commute spec test: %d pairs of methods.", len(t.Pairs))
	}
	fmt.Fprintf(os.Stderr, "commute: spec test of the draft: %d of %d formulas are refuted "+
		"(\"commute spec test\" says more)\n", len(s.refuted), len(t.Pairs))
}

// object chooses how objects are made for tests: by a function that needs no more than sizes and
// times. The sizes are so large that nothing is evicted.
func (s *skeleton) object(p *packages.Package) {
	named, ok := p.Types.Scope().Lookup(s.name).Type().(*types.Named)
	if !ok || len(s.making) > 0 {
		return
	}
	for _, name := range []string{"New" + s.name, "New"} {
		fn, ok := p.Types.Scope().Lookup(name).(*types.Func)
		if !ok || fn.Signature().Params().Len() == 0 || fn.Signature().Variadic() {
			continue
		}
		if expr := making(fn, named); expr != "" {
			s.making = []string{"//ecl:new " + expr}
			return
		}
	}
}

// making is a call of a function that makes objects of a type, "" if its arguments aren't known.
func making(fn *types.Func, named *types.Named) string {
	sig := fn.Signature()
	if n := sig.Results().Len(); n == 0 || n > 2 {
		return ""
	}
	made := sig.Results().At(0).Type()
	if ptr, ok := types.Unalias(made).(*types.Pointer); ok {
		made = ptr.Elem()
	}
	if of, ok := types.Unalias(made).(*types.Named); !ok || of.Origin() != named.Origin() {
		return ""
	}
	text := fn.Name()
	if n := sig.TypeParams().Len(); n > 0 {
		text += "[" + strings.TrimSuffix(strings.Repeat("string, ", n), ", ") + "]"
	}
	var args []string
	for v := range sig.Params().Variables() {
		arg := argument(v.Type(), fn.Pkg())
		if arg == "" {
			return ""
		}
		args = append(args, arg)
	}
	return text + "(" + strings.Join(args, ", ") + ")"
}

// argument is a likely argument of a type for a function that makes objects.
func argument(t types.Type, pkg *types.Package) string {
	if types.TypeString(t, nil) == "time.Duration" {
		return "time.Hour"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsInteger != 0:
			return "64"
		case u.Info()&types.IsBoolean != 0:
			return "false"
		}
	case *types.Signature:
		return "nil"
	case *types.Map, *types.Slice:
		if _, param := types.Unalias(t).(*types.TypeParam); !param {
			return types.TypeString(t, types.RelativeTo(pkg)) + "{}"
		}
	}
	return ""
}
