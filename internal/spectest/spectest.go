// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/ecl"
)

// Options say what is tested, and how much.
type Options struct {
	Dir      string      // in which Package means something; the current folder if empty
	Package  string      // a folder, as ./store, or an import path
	Type     string      // one type; all that have a specification if empty
	SpecFile string      // a file with specifications, in place of those that the package has
	Given    []*ecl.Spec // the same, as values
	Checks   int         // cases of each pair
	Seed     uint64
	Timeout  time.Duration // of one call
}

// A Report is the result for the specifications of one package.
type Report struct {
	Package string
	Seed    uint64
	Types   []TypeReport
	Skipped []Skipped
}

// A Skipped is a specification that could not be tested.
type Skipped struct {
	Type string
	Pos  token.Position
	Why  string
}

// A TypeReport is the result for one specification.
type TypeReport struct {
	Name     string
	Object   string // the expression that made the objects
	Pairs    []PairReport
	NoReturn []Ended  // methods of which no call returned
	Random   []string // methods whose results differ between equal objects
	Note     string   // on how objects were made
	Hint     string   // how they could be made otherwise, if calls did not return
}

// An Ended is a method with calls that did not return. How is the end of the first one.
type Ended struct{ Method, How string }

// A PairReport is the result for one pair of methods.
type PairReport struct {
	First, Second string
	Pos           token.Position // of the formula
	Text          string
	Cases         int // in which both calls returned, in one order at least
	Held          int // cases in which the formula holds
	Missed        int // cases in which it doesn't, and the calls returned and commuted
	Refuted       *Refutation

	constant bool
	returned [2]bool
}

func (r *PairReport) add(flags byte) {
	if flags&flagTested != 0 {
		r.Cases++
	}
	switch {
	case flags&flagHeld != 0:
		r.Held++
	case flags&(flagCommuted|flagFirst|flagSecond) == flagCommuted|flagFirst|flagSecond:
		r.Missed++
	}
	r.returned[0] = r.returned[0] || flags&flagFirst != 0
	r.returned[1] = r.returned[1] || flags&flagSecond != 0
}

// Run tests the specifications of a package. The error is about the specifications or the package,
// and not about refutations.
func Run(o Options) (*Report, error) {
	t, err := load(o)
	if err != nil {
		return nil, err
	}
	report := &Report{Package: t.pkg.PkgPath, Seed: o.Seed, Skipped: t.skipped}
	s := newScope(t)
	var plans []*plan
	for _, spec := range t.specs {
		p, err := newPlan(s, spec)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	if len(plans) == 0 {
		return report, nil
	}
	if report.Types, err = runPlans(s, plans, o); err != nil {
		return nil, err
	}
	for i, p := range plans {
		if p.object.zero && len(report.Types[i].NoReturn) > 0 {
			report.Types[i] = tryConstructors(s, p.spec, report.Types[i], o)
		}
	}
	return report, nil
}

// runPlans tests types in one program.
func runPlans(s *scope, plans []*plan, o Options) ([]TypeReport, error) {
	tmp, remove, err := temp()
	if err != nil {
		return nil, err
	}
	defer remove()
	binary, err := build(s, plans, tmp)
	if err != nil {
		return nil, err
	}
	var reports []TypeReport
	for i, p := range plans {
		dir := s.dir
		if s.external {
			dir = tmp
		}
		c := &client{binary: binary, table: i, dir: dir, timeout: o.Timeout}
		r, err := runPlan(&searcher{newGenerators(p), c, o.Checks, o.Seed})
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// tryConstructors serves a type whose zero value is no receiver for some methods; r is the result
// for it. The package's own functions that make objects are tried one by one. If none of them lets
// all methods be called, r stands.
func tryConstructors(s *scope, spec *ecl.Spec, r TypeReport, o Options) TypeReport {
	for n := range maxConstructors {
		p, err := newPlan(s, spec)
		if err != nil {
			return r
		}
		list := p.constructors()
		if n >= len(list) {
			return r
		}
		if r.Hint == "" {
			r.Hint = "//ecl:new " + list[n].shown
		}
		p.object = list[n].object
		tried, err := runPlans(s, []*plan{p}, o)
		if err != nil || len(tried[0].NoReturn) > 0 {
			continue // its arguments may be no good
		}
		end := r.NoReturn[0]
		tried[0].Note = fmt.Sprintf("objects come from %s, for on the zero %s %s %s (//ecl:new "+
			"says otherwise)", list[n].shown, spec.Name, end.Method, end.How)
		return tried[0]
	}
	return r
}

// runPlan tests all pairs of one type, and asks the server which methods have random results or did
// not return.
func runPlan(s *searcher) (TypeReport, error) {
	r := TypeReport{Name: s.spec.Name, Object: s.object.expr}
	if err := s.start(); err != nil {
		return r, err
	}
	defer s.stop()
	returned := make(map[*ecl.Method]bool)
	for i, p := range s.spec.Pairs {
		pair, err := s.pair(i)
		if err != nil {
			return r, err
		}
		r.Pairs = append(r.Pairs, pair)
		for k, m := range p.M {
			returned[m] = returned[m] || pair.returned[k]
		}
	}
	random, err := s.early()
	if err != nil {
		return r, err
	}
	for i, m := range s.spec.Methods {
		if !returned[m] {
			r.NoReturn = append(r.NoReturn, Ended{m.Name, plain(random.Ends[i])})
		}
	}
	for _, i := range random.Random {
		r.Random = append(r.Random, s.spec.Methods[i].Name)
	}
	return r, nil
}

// plain is the end of a call, with the text of an error without quotes.
func plain(end string) string {
	const failed = "panics: error "
	if quoted, ok := strings.CutPrefix(end, failed); ok {
		if text, err := strconv.Unquote(quoted); err == nil {
			return "panics: " + text
		}
	}
	return end
}

// Refuted reports whether a formula of any type is wrong.
func (r *Report) Refuted() bool {
	for _, t := range r.Types {
		for _, p := range t.Pairs {
			if p.Refuted != nil {
				return true
			}
		}
	}
	return false
}

// Untested reports whether there is a method of which no call returned.
func (r *Report) Untested() bool {
	return slices.ContainsFunc(r.Types, func(t TypeReport) bool { return len(t.NoReturn) > 0 })
}

// Print writes a report for people.
func (r *Report) Print(w io.Writer) {
	for _, t := range r.Types {
		t.print(w, r)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "%s: %s is not tested: %s\n", s.Pos, s.Type, s.Why)
	}
}

// print prints the result for one type: the table of pairs, notes, and then the refutations.
func (t *TypeReport) print(w io.Writer, r *Report) {
	fmt.Fprintf(w, "%s.%s (seed %d)\n\n", r.Package, t.Name, r.Seed)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "pair\tcases\tformula held\tcommuted though formula says no\n")
	var notes []string
	for _, p := range t.Pairs {
		note := ""
		if p.Refuted != nil {
			note = "  REFUTED"
		}
		fmt.Fprintf(table, "%s, %s\t%d\t%d\t%d (%.1f%%)%s\n", p.First, p.Second, p.Cases, p.Held,
			p.Missed, percent(p.Missed, p.Cases), note)
		if p.Held == 0 && !p.constant && p.Cases > 0 {
			notes = append(notes, fmt.Sprintf("%s: %s, %s: the formula held in no case: %s", p.Pos,
				p.First, p.Second, p.Text))
		}
	}
	table.Flush()
	if t.Note != "" {
		notes = append(notes, t.Note)
	}
	if len(t.Random) > 0 {
		notes = append(notes,
			fmt.Sprintf("results are random of %s: they refute only where those of one order are "+
				"none of the other's", strings.Join(t.Random, ", ")))
	}
	for _, n := range notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if len(t.NoReturn) > 0 {
		fmt.Fprintf(w, "FAIL: %s\n", t.Untested())
	}
	for _, p := range t.Pairs {
		if p.Refuted != nil {
			fmt.Fprintf(w, "\n%s: refuted: %s\n%s\n\n%s",
				p.Pos, p.Text, p.Refuted.Says, p.Refuted.Test)
		}
	}
	fmt.Fprintln(w)
}

// Untested says which methods were not tested, and why.
func (t *TypeReport) Untested() string {
	var names []string
	for _, e := range t.NoReturn {
		names = append(names, e.Method)
	}
	what := "no call returned of " + strings.Join(names, ", ")
	if !slices.ContainsFunc(t.Pairs, func(p PairReport) bool { return p.Cases > 0 }) {
		what = "nothing was tested of " + t.Name
	}
	hint := "write an object on which it returns, //ecl:new, or arguments, //ecl:sample"
	if t.Hint != "" {
		hint = "write how an object is made, as in " + t.Hint
	}
	return fmt.Sprintf("%s: %s %s on an object made by %s (%s)", what, t.NoReturn[0].Method,
		t.NoReturn[0].How, t.Object, hint)
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}
