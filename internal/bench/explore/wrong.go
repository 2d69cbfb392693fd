// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/commutego/commute/internal/explore"
)

// shrunkSeeds is with how many seeds harmful schedules are shrunk, which takes longest.
const shrunkSeeds = 3

// What exploration has to reach: within how many runs of one round each.
const (
	foundWithin  = 16
	harmWithin   = 64
	forcedWithin = 32
)

// A finding is what became of a wrong program, with all seeds.
type finding struct {
	found, harm, forced tally // at which run
	switches            tally // of shrunk schedules
	late                []string
}

// wrongTable prints at which run the wrong programs fail.
func wrongTable(dir, tool string, chosen *regexp.Regexp) error {
	b, names, err := programs(dir, tool, "TestWrong", chosen)
	if err != nil {
		return err
	}
	fmt.Printf("| program | found at run: mean | most | harm at run: mean | most | "+
		"by forced switches at run: mean | most | switches, shrunk: mean | most |\n"+
		"| --- |%s\n", strings.Repeat(" --- |", 8))
	var late []string
	for _, name := range names {
		var f finding
		for seed := range uint64(*seeds) {
			if err := f.explore(b, dir, name, seed); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %v | %v | %v | %v |\n", strings.TrimPrefix(name, "TestWrong"), f.found,
			f.harm, f.forced, f.switches)
		late = append(late, f.late...)
	}
	for _, line := range late {
		fmt.Fprintln(os.Stderr, line)
	}
	if len(late) > 0 {
		return errFailed
	}
	return nil
}

// explore explores a program with a seed.
func (f *finding) explore(b *explore.Binary, dir, name string, seed uint64) error {
	plan := explore.Plan{Runs: harmWithin, Base: seed, Timeout: timeout, Rough: true}
	reported, err := explore.Explore(b, plan, name)
	if err != nil {
		return err
	}
	restore, err := silence(dir)
	if err != nil {
		return err
	}
	defer restore()
	plan.Rough = seed >= shrunkSeeds
	harmed, err := explore.Explore(b, plan, name)
	if err != nil {
		return err
	}
	plan.Rough, plan.Policies = true, "forced"
	forced, err := explore.Explore(b, plan, name)
	if err != nil {
		return err
	}
	f.note(name, seed, "found", &f.found, foundWithin, reported)
	f.note(name, seed, "harmed", &f.harm, harmWithin, harmed)
	f.note(name, seed, "harmed by forced switches", &f.forced, forcedWithin, forced)
	if harmed.Failure != nil && harmed.Failure.Schedule != nil {
		f.switches.add(len(harmed.Failure.Schedule.Forces))
	}
	return nil
}

// note notes at which run a program has failed, and whether that is later than it must be.
func (f *finding) note(name string, seed uint64, how string, t *tally, within int,
	r *explore.Result) {
	switch {
	case r.Failure == nil:
		f.late = append(f.late, fmt.Sprintf("%s, seed %d: not %s in %d runs", name, seed, how,
			r.Runs))
	case r.Failure.Run > within:
		f.late = append(f.late, fmt.Sprintf("%s, seed %d: %s at run %d, after %d", name, seed, how,
			r.Failure.Run, within))
		t.add(r.Failure.Run)
	default:
		t.add(r.Failure.Run)
	}
}
