// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/spectest"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"golang.org/x/tools/go/packages"
)

const specInferUsage = `usage: commute spec infer [flags] TYPE

Infer searches, for every two methods of a type, the weakest formula that tests do not refute,
and prints the specification. It calls the methods in both orders, on objects in random states,
notes what is true of the calls' values and whether they commute, and finds the formula in that.
TYPE is a type of yours, or another's, as for commute spec draft.

`

const specInferEnd = `
Above the specification stands how often each formula was tried. What fewer than N calls speak
for is not claimed; where a formula could be weaker, a line says so. The result passes commute
spec test. Objects and values are made as there.
`

func specInferHelp() string {
	return specInferUsage + option.FlagHelp(nil, "spec infer") + specInferEnd
}

// A textList is a flag that may be given more than once.
type textList []string

func (l *textList) String() string { return strings.Join(*l, "; ") }

func (l *textList) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// specInfer is commute spec infer.
func specInfer(args []string) int {
	flags := flag.NewFlagSet("spec infer", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var o spectest.Inference
	flags.IntVar(&o.Checks, "checks", 1000, "")
	flags.Uint64Var(&o.Seed, "seed", 1, "")
	flags.IntVar(&o.Support, "support", 20, "")
	flags.DurationVar(&o.Timeout, "timeout", 2*time.Second, "")
	object := flags.String("new", "", "")
	var samples textList
	flags.Var(&samples, "sample", "")
	write := flags.Bool("w", false, "")
	err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(specInferHelp())
		return 0
	case err != nil:
		return misused("%s: %v", flags.Name(), flagError(flags, err))
	case flags.NArg() != 1:
		err = fmt.Errorf("%d types are named, not one (write the package's import path or "+
			"folder, a dot and the type's name)", flags.NArg())
	case o.Checks < 1:
		err = errors.New("-checks is less than 1")
	case o.Support < 1:
		err = errors.New("-support is less than 1")
	case o.Timeout < 10*time.Millisecond:
		err = errors.New("-timeout is less than 10ms")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "commute: spec infer: %v\n\n%s", err, specInferHelp())
		return toolexec.ExitUsage
	}
	for _, text := range samples {
		if err := sampleError(text); err != nil {
			return misused("-sample %s: %v", text, err)
		}
	}
	p, s, err := skeletonOf(flags.Arg(0))
	if err != nil {
		return fail(err)
	}
	s.tested(p.PkgPath, *object, samples)
	return s.infer(p, o, *write)
}

// sampleError is what is wrong with values for a type.
func sampleError(text string) error {
	_, err := ecl.Parse("", 1, 1, "//ecl:sample "+text+"\n")
	var list ecl.Errors
	if errors.As(err, &list) && list[0].Pos.Line == 1 && strings.Contains(list[0].Hint, "sample") {
		return fmt.Errorf("%s (%s)", list[0].Text, list[0].Hint)
	}
	return nil
}

// tested notes how objects and values are made for tests: as the flags say, or else as a
// specification does that the type has.
func (s *skeleton) tested(pkg, object string, samples []string) {
	if have, err := annotated(pkg, s.name); err == nil {
		if object == "" {
			object = have.New
		}
		for _, v := range have.Samples {
			if len(samples) == 0 {
				s.making = append(s.making,
					"//ecl:sample "+v.Type+": "+strings.Join(v.Exprs, ", "))
			}
		}
	}
	if object != "" {
		s.making = append(s.making, "//ecl:new "+object)
	}
	for _, v := range samples {
		s.making = append(s.making, "//ecl:sample "+v)
	}
}

// infer searches the formulas and prints the specification, or writes it into the type's doc
// comment.
func (s *skeleton) infer(p *packages.Package, o spectest.Inference, write bool) int {
	at, err := s.declaration(p)
	if write && err != nil {
		return fail(err)
	}
	o.Package, o.Type = p.PkgPath, s.name
	o.Pos = p.Fset.PositionFor(p.Types.Scope().Lookup(s.name).Pos(), false)
	o.Pos.Filename = relative(o.Pos.Filename)
	o.Directives = s.roles
	line := &progress{to: os.Stderr, tell: terminal(os.Stderr)}
	o.Progress = line.pair
	r, err := spectest.Infer(o)
	line.end()
	if err != nil {
		return fail(err)
	}
	text := s.inferred(r, o)
	if !write {
		fmt.Print(text)
		return 0
	}
	if err := insert(text, at); err != nil {
		return fail(err)
	}
	fmt.Printf("%s:%d: the specification stands above type %s\n", relative(at.Filename), at.Line,
		s.name)
	return 0
}

// roles lists the directives that say what methods there are. Those in the first set only seem to
// observe; those in the second one are left out.
func (s *skeleton) roles(change, without map[string]bool) (lines []string) {
	lines = append(lines, s.making...)
	for _, m := range s.methods {
		m.observer = m.observer && !change[m.name]
		m.arbiter = m.arbiter || change[m.name]
		if !without[m.name] {
			lines = append(lines, fmt.Sprintf("//ecl:%s %s", m.role(), m.call("")))
		}
	}
	for _, m := range s.methods {
		if m.callback != "" && !without[m.name] {
			lines = append(lines, "//ecl:callback "+m.calling())
		}
	}
	return lines
}

// inferred prints an inferred specification, with how often each formula was tried above it.
func (s *skeleton) inferred(r *spectest.Inferred, o spectest.Inference) string {
	var b strings.Builder
	prose := s.prose()
	say := func(format string, args ...any) {
		fmt.Fprint(&b, strings.TrimSpace(prose+" "+fmt.Sprintf(format, args...))+"\n")
	}
	say("The formulas of %s are inferred: no two calls in random states refuted them (seed %d).",
		s.name, o.Seed)
	say("Behind each pair of methods stand three numbers: how many pairs of calls were tried that")
	say("the formula says commute, how many others, and how many of these did not commute.")
	say("")
	for line := range strings.Lines(tries(r)) {
		b.WriteString(prose + "\t" + line)
	}
	say("")
	for _, m := range r.Changes {
		say("%s seems to observe, but makes a difference to what others return.", m)
	}
	for _, m := range r.Idle {
		say("Of %s nothing is claimed: %s.", m.Name, m.Why)
	}
	for _, p := range r.Pairs {
		if p.Why != "" {
			say("%s, %s: %s.", p.First, p.Second, p.Why)
		}
	}
	if r.Note != "" {
		say("For the tests, %s.", r.Note)
	}
	s.omissions(say)
	s.head(&b)
	for _, line := range r.Lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// tries is a table with a line for each pair.
func tries(r *spectest.Inferred) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "pair\tsaid to commute\tothers\tdidn't commute")
	for _, p := range r.Pairs {
		fmt.Fprintf(w, "%s, %s\t%d\t%d\t%d\n", p.First, p.Second, p.Says, p.Not, p.Differed)
	}
	w.Flush()
	return b.String()
}

// A progress is a line on a terminal that says how far a search is.
type progress struct {
	to    io.Writer
	tell  bool
	wrote bool
}

// pair says which pair is searched.
func (p *progress) pair(done, all int, pair string) {
	if p.tell {
		p.wrote = true
		fmt.Fprintf(p.to, "\r\x1b[Kcommute: %d of %d pairs: %.60s", done, all, pair)
	}
}

// end takes the line away.
func (p *progress) end() {
	if p.wrote {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
