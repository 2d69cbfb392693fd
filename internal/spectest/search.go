// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"flag"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	maxSteps   = 8   // calls that build a state
	maxAfter   = 4   // calls that look at it, besides the observers
	batchSize  = 128 // cases that are sent together
	shrinkTime = 20 * time.Second
)

// generators draw the parts of cases. All are numbers, and smaller ones are simpler, so that
// package rapid shrinks a case by making numbers smaller.
type generators struct {
	*plan
	steps  *rapid.Generator[int]
	after  *rapid.Generator[int]
	method *rapid.Generator[int]
	args   map[int]*rapid.Generator[int] // by the number of values
}

func newGenerators(p *plan) *generators {
	g := &generators{p, rapid.IntRange(0, maxSteps), rapid.IntRange(0, maxAfter),
		rapid.IntRange(0, len(p.methods)), make(map[int]*rapid.Generator[int])}
	for _, m := range p.methods {
		for _, d := range m.domains {
			if n := len(d.values); g.args[n] == nil {
				g.args[n] = rapid.IntRange(0, n-1)
			}
		}
	}
	return g
}

// draw draws a case of a pair.
func (g *generators) draw(t *rapid.T, pair int) testCase {
	c := testCase{pair: pair}
	c.steps = g.list(t, g.steps)
	for i, m := range g.spec.Pairs[pair].M {
		c.ab[i] = g.call(t, m.Index)
	}
	c.after = g.list(t, g.after)
	return c
}

// list draws a number of calls, and the calls.
func (g *generators) list(t *rapid.T, number *rapid.Generator[int]) (list []call) {
	for range number.Draw(t, "calls") {
		// 0 is no call, so that a call can be left out when a case is made smaller.
		if k := g.method.Draw(t, "method"); k > 0 {
			list = append(list, g.call(t, g.order[k-1]))
		}
	}
	return list
}

func (g *generators) call(t *rapid.T, method int) call {
	c := call{method: method}
	for _, d := range g.methods[method].domains {
		if len(d.values) == 1 {
			c.args = append(c.args, 0)
		} else {
			c.args = append(c.args, g.args[len(d.values)].Draw(t, "argument"))
		}
	}
	return c
}

// A searcher looks for cases that refute the formulas of one plan.
type searcher struct {
	*generators
	*client
	checks int
	seed   uint64
}

// pair tests one pair.
func (s *searcher) pair(i int) (PairReport, error) {
	p := s.spec.Pairs[i]
	r := PairReport{First: p.M[0].Name, Second: p.M[1].Name, Pos: s.short(p.Pos), Text: p.Text,
		constant: p.Constant()}
	failing, at, err := s.survey(i, &r)
	if err != nil || failing == nil {
		return r, err
	}
	// If results are random, no case may refute the second time: then the first one stands.
	if small, err := s.shrink(i, at); err != nil {
		return r, err
	} else if small != nil {
		failing = small
	}
	d, err := s.explain(*failing)
	if err != nil {
		return r, s.culprit(s.plan, []testCase{*failing}, err)
	}
	if d.Differs {
		r.Refuted = s.counterexample(*failing, d)
	}
	return r, nil
}

// survey draws and runs cases, and stops at the first one that refutes the pair, the at-th. The
// server runs one batch while the next is drawn.
func (s *searcher) survey(pair int, r *PairReport) (failing *testCase, at int, err error) {
	// Of two batches, one is being drawn, and the other one is with the server. The server answers
	// in order, so a frame may be sent before the answer to the one before has been read.
	var batch, running []testCase
	count := 0
	collect := func() {
		cases := running
		running = nil
		flags, e := s.receive()
		if e != nil {
			err = s.culprit(s.plan, cases, e)
			return
		}
		for i, f := range flags {
			r.add(f)
			count++
			if f&flagHeld != 0 && f&flagCommuted == 0 {
				failing, at = &cases[i], count
				return
			}
		}
	}
	flush := func() {
		sent := batch
		batch = nil
		if e := s.send('B', sent...); e != nil {
			err = s.culprit(s.plan, append(running, sent...), e)
			return
		}
		if len(running) > 0 {
			collect()
		}
		running = sent
	}
	s.check(s.checks, pair, func(t *rapid.T) {
		if err != nil || failing != nil {
			return
		}
		if batch = append(batch, s.draw(t, pair)); len(batch) == batchSize {
			flush()
		}
	})
	if err == nil && failing == nil && len(batch) > 0 {
		flush()
	}
	switch {
	case err != nil || len(running) == 0:
	case failing == nil:
		collect()
	default: // the batch that was running when another one refuted the pair
		_, err = s.receive()
	}
	return failing, at, err
}

// shrink draws the cases of a survey again, by the same seed, and makes the at-th smaller. Package
// rapid can shrink only what it has drawn itself.
func (s *searcher) shrink(pair, at int) (smallest *testCase, err error) {
	count := 0
	s.check(s.checks, pair, func(t *rapid.T) {
		if err != nil {
			return
		}
		c := s.draw(t, pair)
		if count++; count < at {
			return // it did not refute
		}
		flags, e := s.try(c)
		if e != nil {
			err = s.culprit(s.plan, []testCase{c}, e)
			return
		}
		if flags[0]&flagHeld != 0 && flags[0]&flagCommuted == 0 {
			smallest = &c
			t.Fatal("refuted")
		}
	})
	return smallest, err
}

// rapidFlags is the set in which package rapid has registered its flags.
var rapidFlags = flag.CommandLine

// rapidMu guards rapid's flags, which are global.
var rapidMu sync.Mutex

// check calls property with new values, checks times, unless it fails. Values depend on the seed
// alone.
func (s *searcher) check(checks, pair int, property func(*rapid.T)) {
	rapidMu.Lock()
	defer rapidMu.Unlock()
	parseTestFlags()
	if testing.Short() {
		checks *= 5 // rapid makes a fifth of them
	}
	for name, value := range map[string]string{
		"rapid.checks": strconv.Itoa(checks),
		// 0 would be a random one
		"rapid.seed":       strconv.FormatUint((s.seed+uint64(pair)*0x9e3779b97f4a7c15)|1, 10),
		"rapid.nofailfile": "true",
		"rapid.failfile":   "",
		"rapid.log":        "false",
		"rapid.v":          "false",
		"rapid.shrinktime": shrinkTime.String(),
	} {
		if err := rapidFlags.Set(name, value); err != nil {
			panic(err)
		}
	}
	rapid.Check(quietTB{new(bool)}, property)
}

// parseTestFlags makes testing.Short, which rapid calls, work outside of a test.
var parseTestFlags = sync.OnceFunc(func() {
	if flag.Parsed() && flag.Lookup("test.short") != nil {
		return
	}
	flag.CommandLine = flag.NewFlagSet("rapid", flag.ContinueOnError)
	testing.Init()
	if err := flag.CommandLine.Parse(nil); err != nil {
		panic(err)
	}
})

// A quietTB is a test for rapid that prints nothing: the property itself has the result.
type quietTB struct{ failed *bool }

func (quietTB) Helper()                 {}
func (quietTB) Name() string            { return "commute spec test" }
func (quietTB) Logf(string, ...any)     {}
func (quietTB) Log(...any)              {}
func (quietTB) Skipf(string, ...any)    {}
func (quietTB) Skip(...any)             {}
func (quietTB) SkipNow()                {}
func (t quietTB) Errorf(string, ...any) { *t.failed = true }
func (t quietTB) Error(...any)          { *t.failed = true }
func (t quietTB) Fatalf(string, ...any) { *t.failed = true }
func (t quietTB) Fatal(...any)          { *t.failed = true }
func (t quietTB) FailNow()              { *t.failed = true }
func (t quietTB) Fail()                 { *t.failed = true }
func (t quietTB) Failed() bool          { return *t.failed }

var _ rapid.TB = quietTB{}

// lines prints a case as calls on an object, first call first.
func (p *plan) lines(object string, t testCase) []string {
	list := []string{fmt.Sprintf("%s := %s", object, p.object.expr)}
	for _, st := range t.steps {
		list = append(list, p.text(object, st))
	}
	for _, c := range append(t.ab[:], t.after...) {
		list = append(list, p.text(object, c))
	}
	return list
}
