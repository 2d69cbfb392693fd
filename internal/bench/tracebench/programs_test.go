// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/bench/tracebench/programs"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// TestCommitNodes wants the reports of the paper's table. The paper's reduction knows of each
// variable whether a lock protects it, ours of each access: so ours has none of its false alarms
// here.
func TestCommitNodes(t *testing.T) {
	for _, p := range programs.CommitNodes {
		for seed := range uint64(3) {
			r := p.Run(seed, 2)
			verdicts := judgeAll(p, r, provers)
			for check, v := range verdicts {
				want := p.Paper.CommitNode
				if got := v.report(p); got != want {
					t.Errorf("%s, seed %d: %s reports %s, want %s: %v", p.Name, seed, check, got,
						want, v.methods)
				}
				if p.Broken() == 0 && (v.alarms > 0 || v.unknown > 0) {
					t.Errorf("%s, seed %d: %s doesn't prove all: %+v", p.Name, seed, check, v)
				}
				if v.proven == 0 {
					t.Errorf("%s, seed %d: %s proves nothing", p.Name, seed, check)
				}
			}
			if v := verdicts["forest-conflict"]; v.unknown > 0 {
				t.Errorf("%s, seed %d: %d are unknown", p.Name, seed, v.unknown)
			}
		}
	}
}

// TestBugsArePredicted wants each bug to be predicted in some run, and nothing but what some order
// breaks, in both papers' programs.
func TestBugsArePredicted(t *testing.T) {
	for _, p := range append(programs.CommitNodes[:len(programs.CommitNodes):len(
		programs.CommitNodes)], programs.Predicted...) {
		for _, check := range predictors {
			made := 0
			v := judgeRuns(check, p, func(v verdict) bool {
				made++
				return made > 2 && !slices.ContainsFunc(p.Bugs, func(name string) bool {
					return !v.methods[name]
				})
			})
			for name := range v.methods {
				if !p.Breaks(name) {
					t.Errorf("%s: %s reports %s, which no order breaks", p.Name, check, name)
				}
			}
			for _, name := range p.Bugs {
				if check == "avp" && !v.methods[name] {
					t.Errorf("%s: the bug in %s is predicted in no run", p.Name, name)
				}
			}
		}
	}
}

// TestFiltered wants the shares of blocks that the second paper has its static check pass.
func TestFiltered(t *testing.T) {
	for _, p := range programs.Predicted {
		n := judge("avp", p, p.Run(1, 4)).blocks
		switch share := float64(n.Filtered) / float64(n.All); p.Name {
		case "SynchBench", "philo":
			if n.Filtered != n.All {
				t.Errorf("%s: %d of %d are filtered", p.Name, n.Filtered, n.All)
			}
		case "ThriftTrace":
			if share < 0.9 {
				t.Errorf("%s: %d of %d are filtered", p.Name, n.Filtered, n.All)
			}
		}
	}
}

// TestSave wants a run's file to have its events.
func TestSave(t *testing.T) {
	o := Options{Events: 1000, Dir: t.TempDir(), ctx: context.Background()}
	p := programs.CommitNodes[0]
	r := o.grow(p)
	file, err := o.save(p.Name, r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != len(r.Events) {
		t.Errorf("%d lines, want %d", lines, len(r.Events))
	}
	if tracefile.FormatOf(file) != tracefile.STD {
		t.Errorf("%s isn't STD by its name", file)
	}
}
