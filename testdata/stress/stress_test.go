// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"os"
	"testing"
	"time"
)

// The names have the verdicts, as in testdata/dataraces.

var long = flag.Duration("stress", 2*time.Second, "how long TestNoRaceStress runs")

func TestNoRaceStress(t *testing.T) {
	run(options{duration: *long, goroutines: 16, seed: uint64(time.Now().UnixNano()), kinds: kinds}).print(t.Output())
}

func TestNoRaceStressKind(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			r := run(options{duration: 50 * time.Millisecond, goroutines: 8, seed: 1, kinds: []kind{k}})
			if r.uses[0] == 0 {
				t.Error("never used")
			}
		})
	}
}

// TestRaceStressKind slips: each kind must be found. The race detector seldom finds the collector's, as its
// finalizers learn all that any goroutine has done.
func TestRaceStressKind(t *testing.T) {
	if os.Getenv("COMMUTE_STRESS_RACY") == "" {
		t.Skip("COMMUTE_STRESS_RACY is not set")
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			r := run(options{duration: 300 * time.Millisecond, goroutines: 8, seed: 1, kinds: []kind{k}, racy: true})
			if r.slips[0] == 0 {
				t.Skip("no slip")
			}
		})
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("pool,mutex")
	if err != nil || len(chosen) != 2 || chosen[0].name != "pool" || chosen[1].name != "mutex" {
		t.Errorf("got %v, %v", chosen, err)
	}
	if _, err := choose("mutex,nothing"); err == nil {
		t.Error("no error for a kind that isn't there")
	}
}
