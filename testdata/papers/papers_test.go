// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"flag"
	"slices"
	"testing"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A scene is a method, and what comes where it is held back.
type scene struct {
	method string
	play   func() (first, other func())
}

// interrupt has what comes be over before the method goes on.
func interrupt(t *testing.T, scenes []scene) { stage(t, scenes, turn.Interrupt) }

// invite has what comes wait if the method holds a lock that it needs.
func invite(t *testing.T, scenes []scene) { stage(t, scenes, turn.Invite) }

func stage(t *testing.T, scenes []scene, run func(first, other func())) {
	for _, s := range scenes {
		t.Run(s.method, func(*testing.T) { run(s.play()) })
	}
}

var (
	recorded = flag.String("program", "", "the program that TestRecord runs; all if it is not said")
	seed     = flag.Uint64("seed", 1, "what its goroutines choose")
	work     = flag.Int("work", 1, "how much it does")
)

// TestRecord runs a program as it goes.
func TestRecord(t *testing.T) {
	n := 0
	for _, p := range natural {
		if *recorded == "" || *recorded == p.name {
			n++
			t.Run(p.name, func(*testing.T) {
				turn.Natural(func() { p.run(run{*seed, *work}) })
			})
		}
	}
	if n == 0 {
		t.Errorf("there is no program %q", *recorded)
	}
}

// TestNoRaceNatural runs the programs that have no method that some order breaks.
func TestNoRaceNatural(t *testing.T) {
	whole := []string{"philo", "SynchBench", "ThriftTrace", "sor", "hedc", "moldyn", "montecarlo"}
	for _, p := range natural {
		if slices.Contains(whole, p.name) {
			t.Run(p.name, func(*testing.T) {
				turn.Natural(func() { p.run(run{seed: 1, work: 3}) })
			})
		}
	}
}
