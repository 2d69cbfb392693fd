// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/spectest/weakest"
)

// A sampler draws cases, runs them, and keeps what came of them. No formula is needed for that.
type sampler struct {
	*plan
	*client
	rng      *rand.Rand
	pairs    []*sampled
	blocked  map[int]bool   // methods that did not return in time: they are not called any more
	ended    map[int]string // how those ended the program that did
	returned []bool         // by method: a call did
	anew     bool           // the server was started once more, and has forgotten what it knew
}

// A sampled pair has the cases that were tried, each once.
type sampled struct {
	cases []tried
	known map[string]bool
	// how often objects with unequal parts could not be told apart, less how often they could
	futile int
}

// A tried case is one in which both calls returned, in one order at least.
type tried struct {
	testCase
	weakest.Sample
	alike bool // the two objects have equal parts
}

func newSampler(p *plan, c *client, seed uint64) *sampler {
	s := &sampler{plan: p, client: c, rng: rand.New(rand.NewPCG(seed, 0)),
		blocked: make(map[int]bool), ended: make(map[int]string),
		returned: make([]bool, len(p.methods))}
	for range p.spec.Pairs {
		s.pairs = append(s.pairs, &sampled{known: make(map[string]bool)})
	}
	return s
}

// skipped reports whether a method of a pair must not be called.
func (s *sampler) skipped(pair int) bool {
	m := s.spec.Pairs[pair].M
	return s.blocked[m[0].Index] || s.blocked[m[1].Index]
}

// neverReturned lists the methods of which no call returned.
func (s *sampler) neverReturned() (list []*ecl.Method) {
	for i, m := range s.spec.Methods {
		if !s.returned[i] {
			list = append(list, m)
		}
	}
	return list
}

// more tries n more cases of a pair. If like is not empty, half of them are variants of these.
func (s *sampler) more(pair, n int, like []testCase) error {
	for n > 0 && !s.skipped(pair) {
		var batch []testCase
		for range min(n, batchSize) {
			c := s.draw(pair)
			if len(like) > 0 && s.rng.IntN(2) == 0 {
				c = s.variant(like[s.rng.IntN(len(like))])
			}
			if key := c.key(); !s.pairs[pair].known[key] {
				s.pairs[pair].known[key] = true
				batch = append(batch, c)
			}
		}
		n -= batchSize
		if err := s.run(pair, batch); err != nil {
			return err
		}
	}
	return nil
}

// run tries cases and keeps what comes of them.
func (s *sampler) run(pair int, batch []testCase) error {
	batch, answers, err := s.answers(batch)
	if err != nil {
		return err
	}
	for i, c := range batch {
		if err := s.look(pair, c, answers[sampleSize*i:]); err != nil {
			return err
		}
	}
	return nil
}

// answers runs cases. A method of which a call does not return is not called again, and what was
// drawn with it is dropped.
func (s *sampler) answers(batch []testCase) (run []testCase, answers []byte, err error) {
	batch = slices.DeleteFunc(batch, func(c testCase) bool {
		for m := range s.blocked { // as variants of cases from before may still call it
			if c.calls(m) {
				return true
			}
		}
		return false
	})
	for len(batch) > 0 {
		answers, err = s.sample(batch)
		var late *stuck
		switch {
		case errors.As(err, &late):
			s.blocked[late.Method], s.anew = true, true
			s.stop()
			if err := s.start(); err != nil {
				return nil, nil, err
			}
			batch = slices.DeleteFunc(batch, func(c testCase) bool { return c.calls(late.Method) })
			continue
		case errors.Is(err, errEnded):
			m, how, again := s.ending(batch)
			if again != nil || how == "" {
				return nil, nil, s.culprit(s.plan, batch, err)
			}
			s.blocked[m], s.ended[m], s.anew = true, how, true
			s.stop()
			if err := s.start(); err != nil {
				return nil, nil, err
			}
			batch = slices.DeleteFunc(batch, func(c testCase) bool { return c.calls(m) })
			continue
		case err != nil:
			return nil, nil, s.culprit(s.plan, batch, err)
		case len(answers) != sampleSize*len(batch):
			return nil, nil, fmt.Errorf("%s: %d bytes answer %d cases", s.pkg.PkgPath,
				len(answers), len(batch))
		}
		break
	}
	return batch, answers, nil
}

// Bounds of looking for a difference between objects with unequal parts.
const (
	maxProbes = 12  // lists of calls for one case
	maxFutile = 100 // cases of a pair without success; then one in ten
)

// look keeps what came of a case. If the calls commuted, and yet the objects have unequal parts,
// other calls are tried on them.
func (s *sampler) look(pair int, c testCase, answer []byte) error {
	p := s.pairs[pair]
	if answer[0]&(flagCommuted|flagAlike) != flagCommuted || answer[0]&(flagForth|flagBack) == 0 ||
		p.futile > maxFutile && s.rng.IntN(10) > 0 {
		s.add(pair, c, answer)
		return nil
	}
	var probes []testCase
	for range maxProbes {
		probe := c
		if probe.after = s.probe(); len(probe.after) > 0 {
			probes = append(probes, probe)
		}
	}
	probes, answers, err := s.answers(probes)
	if err != nil {
		return err
	}
	for i, probe := range probes {
		if a := answers[sampleSize*i:]; a[0]&flagCommuted == 0 {
			p.futile -= maxFutile
			s.add(pair, probe, a)
			return nil
		}
	}
	p.futile++
	s.add(pair, c, answer)
	return nil
}

// probe draws calls that look at an object: a few, or many of one method, as it takes to see what
// lies deep in a queue.
func (s *sampler) probe() []call {
	d := &drawing{sampler: s, used: make(map[int][]int), width: 3}
	if s.rng.IntN(2) == 0 {
		return d.calls(1 + s.rng.IntN(maxAfter))
	}
	m := s.order[s.rng.IntN(len(s.order))]
	if s.blocked[m] {
		return nil
	}
	var list []call
	for range manySteps + 2 {
		list = append(list, d.call(m))
	}
	return list
}

// add keeps what came of a case.
func (s *sampler) add(pair int, c testCase, answer []byte) {
	flags := answer[0]
	for i, flag := range []byte{flagFirst, flagSecond} {
		m := s.spec.Pairs[pair].M[i].Index
		s.returned[m] = s.returned[m] || flags&flag != 0
	}
	truths := [2]uint64{binary.LittleEndian.Uint64(answer[1:]),
		binary.LittleEndian.Uint64(answer[9:])}
	switch flags & (flagForth | flagBack) {
	case 0:
		return
	case flagForth:
		truths[1] = truths[0]
	case flagBack:
		truths[0] = truths[1]
	}
	s.pairs[pair].cases = append(s.pairs[pair].cases, tried{c,
		weakest.Sample{Truths: truths, Commuted: flags&flagCommuted != 0},
		flags&flagAlike != 0})
}

// Most arguments are among the first few values: objects in which little is equal commute always.
const (
	manySteps  = 16 // calls that build a state, in one of eight cases; in others maxSteps
	longStates = 8
)

// draw draws a case of a pair.
func (s *sampler) draw(pair int) testCase {
	d := &drawing{sampler: s, used: make(map[int][]int), width: s.rng.IntN(4)}
	c := testCase{pair: pair}
	steps := maxSteps
	if s.rng.IntN(longStates) == 0 {
		steps = manySteps
	}
	c.steps = d.calls(steps)
	for i, m := range s.spec.Pairs[pair].M {
		c.ab[i] = d.call(m.Index)
	}
	c.after = d.calls(maxAfter)
	return c
}

// A drawing is a case that is being drawn.
type drawing struct {
	*sampler
	used  map[int][]int // arguments, by domain
	width int           // 0: two values of each type; 3: all; otherwise those that a test has
}

func (d *drawing) calls(most int) (list []call) {
	for range d.rng.IntN(most + 1) {
		// Those that change something come first in the order, and observers are called anyway.
		m := d.order[d.rng.IntN(d.rng.IntN(len(d.order))+1)]
		if !d.blocked[m] {
			list = append(list, d.call(m))
		}
	}
	return list
}

func (d *drawing) call(method int) call {
	c := call{method: method}
	for _, dom := range d.methods[method].domains {
		c.args = append(c.args, d.arg(dom))
	}
	return c
}

// arg draws an argument: often one that another call of the case has.
func (d *drawing) arg(dom *domain) int {
	used := d.used[dom.index]
	if len(used) > 0 && d.rng.IntN(5) < 2 {
		return used[d.rng.IntN(len(used))]
	}
	n := len(dom.values)
	switch d.width {
	case 0:
		n = min(n, 2)
	case 1, 2:
		n = min(n, dom.few)
	}
	a := d.rng.IntN(n)
	d.used[dom.index] = append(used, a)
	return a
}

// variant changes a case in one or two places.
func (s *sampler) variant(c testCase) testCase {
	d := &drawing{sampler: s, used: make(map[int][]int), width: s.rng.IntN(4)}
	c.steps, c.after = slices.Clone(c.steps), slices.Clone(c.after)
	for range 1 + s.rng.IntN(2) {
		switch s.rng.IntN(6) {
		case 0:
			c.after = d.calls(maxAfter)
		case 1:
			i := s.rng.IntN(2)
			c.ab[i] = d.call(c.ab[i].method)
		case 2:
			c.steps = append(d.calls(2), c.steps...)
		case 3:
			c.steps = append(c.steps, d.calls(2)...)
		default:
			if n := len(c.steps); n > 0 {
				i := s.rng.IntN(n)
				c.steps = slices.Delete(c.steps, i, i+1)
			}
		}
	}
	c.steps = c.steps[:min(len(c.steps), manySteps)]
	return c
}

// calls reports whether a case has a call of a method.
func (t *testCase) calls(method int) bool {
	for _, list := range [][]call{t.steps, t.ab[:], t.after} {
		if slices.ContainsFunc(list, func(c call) bool { return c.method == method }) {
			return true
		}
	}
	return false
}

// key is the same for equal cases.
func (t *testCase) key() string {
	var b []byte
	for _, list := range [][]call{t.steps, t.ab[:], t.after} {
		b = append(b, byte(len(list)))
		for _, c := range list {
			b = append(b, byte(c.method))
			for _, a := range c.args {
				b = append(b, byte(a))
			}
		}
	}
	return string(b)
}
