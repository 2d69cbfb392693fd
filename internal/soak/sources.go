// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/commutego/commute/internal/soak/machine"
)

// runsPerProgram is how often a program is run that was made from plans.
const runsPerProgram = 24

// source makes a program from plans, builds it, and runs it some times.
func (s *soak) source(seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 3))
	c := machine.Config{Seed: r.Uint64() >> 24, Rounds: 1000, Lanes: 1}
	c.Options.Common = r.IntN(2) == 0
	plans, err := c.Plans()
	if err != nil {
		return err
	}
	plain, calls, memory := builds(s.tool)
	b := memory
	switch r.IntN(6) {
	case 0:
		b = calls
	case 1:
		b = plain
	}
	dir := filepath.Join(s.dir, "source", fmt.Sprint(seed))
	text, places := programSource(c.Seed, plans, b.memory)
	if err := writeModule(dir, text); err != nil {
		return err
	}
	binary, err := b.compile(dir)
	if err != nil {
		return err
	}
	s.programs++
	m := machineBuild{b, dir, binary, places}
	for range runsPerProgram {
		if s.over() {
			break
		}
		c.Lanes = 1 << r.IntN(4)
		if err := s.once(m, c, 1+r.IntN(8)); err != nil {
			return err
		}
		s.progress()
	}
	return nil
}
