// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/token"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/ecl"
)

// Options say what is tested, and how much.
type Options struct {
	Dir      string // in which Package means something; the current folder if empty
	Package  string // a folder, as ./store, or an import path
	Type     string // one type; all that have a specification if empty
	SpecFile string // a file to take specifications from, in place of those that the package has
	Checks   int    // cases of each pair
	Seed     uint64
	Timeout  time.Duration // of one call
}

// A Report is what came of the specifications of one package.
type Report struct {
	Package string
	Seed    uint64
	Types   []TypeReport
	Skipped []Skipped
}

// A Skipped specification could not be tested.
type Skipped struct {
	Type string
	Pos  token.Position
	Why  string
}

// A TypeReport is about one specification.
type TypeReport struct {
	Name     string
	Pairs    []PairReport
	NoReturn []string // methods of which no call returned
	Random   []string // methods whose results differ between equal objects
}

// A PairReport is about one pair of methods.
type PairReport struct {
	First, Second string
	Pos           token.Position // of the formula
	Text          string
	Cases         int
	Held          int // cases in which the formula holds
	Missed        int // cases in which it doesn't, and the calls returned and commuted
	Refuted       *Refutation

	constant bool
	returned [2]bool
}

func (r *PairReport) add(flags byte) {
	r.Cases++
	switch {
	case flags&flagHeld != 0:
		r.Held++
	case flags&(flagCommuted|flagFirst|flagSecond) == flagCommuted|flagFirst|flagSecond:
		r.Missed++
	}
	r.returned[0] = r.returned[0] || flags&flagFirst != 0
	r.returned[1] = r.returned[1] || flags&flagSecond != 0
}

// Run tests the specifications of a package. The error is about the specifications or the package, and
// not about what refutes them.
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
	tmp, remove, err := temp()
	if err != nil {
		return nil, err
	}
	defer remove()
	binary, err := build(s, plans, tmp)
	if err != nil {
		return nil, err
	}
	for i, p := range plans {
		dir := t.dir
		if t.external {
			dir = tmp
		}
		c := &client{binary: binary, table: i, dir: dir, timeout: o.Timeout}
		r, err := runPlan(&searcher{newGenerators(p), c, o.Checks, o.Seed})
		if err != nil {
			return nil, err
		}
		report.Types = append(report.Types, r)
	}
	return report, nil
}

func runPlan(s *searcher) (TypeReport, error) {
	r := TypeReport{Name: s.spec.Name}
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
	for _, m := range s.spec.Methods {
		if !returned[m] {
			r.NoReturn = append(r.NoReturn, m.Name)
		}
	}
	var random struct{ Random []int }
	if err := s.ask('M', &random); err != nil {
		return r, err
	}
	for _, i := range random.Random {
		r.Random = append(r.Random, s.spec.Methods[i].Name)
	}
	return r, nil
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

// Print writes a report for people.
func (r *Report) Print(w io.Writer) {
	for _, t := range r.Types {
		t.print(w, r)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "%s: %s is not tested: %s\n", s.Pos, s.Type, s.Why)
	}
}

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
		fmt.Fprintf(table, "%s, %s\t%d\t%d\t%d (%.1f%%)%s\n", p.First, p.Second, p.Cases, p.Held, p.Missed, percent(p.Missed, p.Cases), note)
		if p.Held == 0 && !p.constant {
			notes = append(notes, fmt.Sprintf("%s: %s, %s: the formula held in no case: %s", p.Pos, p.First, p.Second, p.Text))
		}
	}
	table.Flush()
	if len(t.NoReturn) > 0 {
		notes = append(notes, fmt.Sprintf("no call returned of %s (other arguments may be needed, //ecl:sample, or another object, //ecl:new)", strings.Join(t.NoReturn, ", ")))
	}
	if len(t.Random) > 0 {
		notes = append(notes, fmt.Sprintf("results are random of %s: they refute only where those of one order are none of the other's", strings.Join(t.Random, ", ")))
	}
	for _, n := range notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, p := range t.Pairs {
		if p.Refuted != nil {
			fmt.Fprintf(w, "\n%s: refuted: %s\n%s\n\n%s", p.Pos, p.Text, p.Refuted.Says, p.Refuted.Test)
		}
	}
	fmt.Fprintln(w)
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}
