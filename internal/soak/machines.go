// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/commutego/commute/internal/soak/machine"
	"github.com/commutego/commute/internal/soak/plan"
)

// A machineBuild is the machine in one of its builds.
type machineBuild struct {
	build  build
	dir    string
	binary string
	places map[string]line // by line of the main file; nil if functions tell
}

// runsPerTurn is how often the machine is run before other modes have their turn.
const runsPerTurn = 100

// prepare builds the machine, once. What is marked as atomic has memory watched, so the build that
// watches calls alone is of a source without marks.
func (s *soak) prepare() error {
	if len(s.machine) > 0 {
		return nil
	}
	plain, calls, memory := builds(s.tool)
	for _, b := range []build{plain, calls, memory} {
		dir := filepath.Join(s.dir, "machine", b.name)
		if err := writeModule(dir, sitesSource(b.memory)); err != nil {
			return err
		}
		binary, err := b.compile(dir)
		if err != nil {
			return err
		}
		s.machine[b.name] = machineBuild{b, dir, binary, nil}
		s.programs++
	}
	s.start = time.Now() // building is not part of what -for means
	return nil
}

// machines runs the machine some times, each with a seed of its own.
func (s *soak) machines(seed uint64) error {
	if err := s.prepare(); err != nil {
		return err
	}
	for k := range uint64(runsPerTurn) {
		if s.over() {
			break
		}
		r := rand.New(rand.NewPCG(seed, k))
		name := "datarace"
		switch r.IntN(20) {
		case 0:
			name = "plain"
		case 1, 2, 3, 4:
			name = "commute"
		}
		c := machine.Config{Seed: r.Uint64() >> 24, Rounds: 1000, Lanes: 1 << r.IntN(4)}
		c.Options = plan.Options{Silent: r.IntN(10) == 0, Common: r.IntN(4) > 0}
		if err := s.once(s.machine[name], c, 1+r.IntN(8)); err != nil {
			return err
		}
		s.progress()
	}
	return nil
}

// once is one run of the machine.
func (s *soak) once(m machineBuild, c machine.Config, procs int) error {
	plans, err := c.Plans()
	if err != nil {
		return err
	}
	o, err := execute(m.binary, c.Args(), procs, *deadline)
	if err != nil {
		return err
	}
	mistakes, n := judge(m, plans, o)
	s.runs++
	s.rounds += len(plans)
	s.total.add(n)
	f := failure{m, c, procs, plans, o, nil}
	for _, x := range mistakes {
		chance, err := f.byChance(x)
		if err != nil {
			return err
		}
		if chance {
			s.chances++
		} else {
			f.mistakes = append(f.mistakes, x)
		}
	}
	if len(f.mistakes) == 0 {
		return nil
	}
	return s.fail(f)
}

// retries is how often a round in which something was missed is done again. Some interleavings
// that show a race come in one of seven runs.
const retries = 100

// byChance reports whether a mistake is a miss that another run of the same round does not have.
// Two accesses that are made at the same instant may not see each other. In a plan that is executed
// in its order there are none.
func (f failure) byChance(m mistake) (bool, error) {
	if m.what != "miss" || f.plans[m.round].Forced {
		return false, nil
	}
	c := f.config
	c.Only, c.Lanes = f.plans[m.round].Seed, 1
	plans, err := c.Plans()
	if err != nil {
		return false, err
	}
	for range retries {
		o, err := execute(f.binary, c.Args(), f.procs, *deadline)
		if err != nil {
			return false, err
		}
		mistakes, _ := judge(f.machineBuild, plans, o)
		if !slices.ContainsFunc(mistakes,
			func(x mistake) bool { return x.what == m.what && x.text == m.text }) {
			return true, nil
		}
	}
	return false, nil
}

// exists reports whether there is a file of that name.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
