// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/commutego/commute/internal/soak/machine"
	"github.com/commutego/commute/internal/soak/plan"
)

// A failure is a run of the machine in which something was wrong.
type failure struct {
	machineBuild
	config   machine.Config
	procs    int
	plans    []*plan.Plan
	outcome  outcome
	mistakes []mistake
}

// shrinking is how long to try to make a failure smaller.
const shrinking = 40 * time.Second

// fail makes a failure small, keeps what belongs to it and tells of it.
func (s *soak) fail(f failure) error {
	s.failed++
	dir := filepath.Join(*keep, fmt.Sprintf("%s-%d", f.build.name, f.config.Seed))
	if err := f.save(dir); err != nil {
		return err
	}
	fmt.Printf("FAIL: %s\n", f)
	for i, m := range f.mistakes {
		if i == 10 {
			fmt.Printf("  and %d more\n", len(f.mistakes)-i)
			break
		}
		fmt.Printf("  %s\n", f.describe(m))
	}
	fmt.Printf("  kept in %s\n", dir)
	small, err := f.shrink(time.Now().Add(shrinking))
	if err != nil || small == nil {
		return err
	}
	fmt.Printf("  the same with: %s\n%s", small, small.plans[0])
	return small.save(filepath.Join(dir, "small"))
}

// String is the command that runs the machine so.
func (f failure) String() string {
	return fmt.Sprintf("COMMUTE='atexit_sleep_ms=0 level=races' GOMAXPROCS=%d ./%s %s",
		f.procs, filepath.Base(f.binary), strings.Join(f.config.Args(), " "))
}

func (f failure) describe(m mistake) string {
	if m.round < 0 {
		return m.what + ": " + m.text
	}
	return fmt.Sprintf("%s in round %d: %s", m.what, f.plans[m.round].Seed, m.text)
}

// save writes all that belongs to a failure into a folder.
func (f failure) save(dir string) error {
	var text, list strings.Builder
	fmt.Fprintln(&text, f)
	for _, m := range f.mistakes {
		fmt.Fprintln(&text, f.describe(m))
	}
	for _, p := range f.plans {
		list.WriteString(p.String())
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, data := range map[string]string{
		"failure.txt": text.String(), "plans.txt": list.String(),
		"stdout.txt": f.outcome.stdout, "stderr.txt": f.outcome.stderr,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return err
		}
	}
	program := filepath.Join(*keep, "programs", filepath.Base(f.dir))
	if exists(program) {
		return nil
	}
	return os.CopyFS(program, os.DirFS(f.dir))
}

// shrink looks for a smaller plan with the same mistake, nil if even the round alone doesn't have
// it.
func (f failure) shrink(until time.Time) (*failure, error) {
	var best *failure
	for _, m := range f.mistakes {
		if m.round < 0 || best != nil {
			continue
		}
		c := f.config
		c.Only, c.Lanes = f.plans[m.round].Seed, 1
		var err error
		if best, err = f.again(c, m.what, 20, until); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, nil
	}
	for smaller := f.places == nil; smaller; { // a plan that became source stays as it is
		smaller = false
		for _, part := range best.plans[0].Parts() {
			c := best.config
			c.Without = strings.TrimPrefix(c.Without+","+part, ",")
			less, err := f.again(c, best.mistakes[0].what, 6, until)
			if err != nil {
				return nil, err
			}
			if less != nil && len(less.plans[0].Ops) < len(best.plans[0].Ops) {
				best, smaller = less, true
			}
		}
	}
	return best, nil
}

// again runs a smaller machine some times, until it has a mistake of the same sort.
func (f failure) again(c machine.Config, what string, times int, until time.Time) (*failure,
	error) {
	plans, err := c.Plans()
	if err != nil {
		return nil, nil // what is left would be torn
	}
	for range times {
		if time.Now().After(until) {
			return nil, nil
		}
		o, err := execute(f.binary, c.Args(), f.procs, 10*time.Second)
		if err != nil {
			return nil, err
		}
		mistakes, _ := judge(f.machineBuild, plans, o)
		for _, m := range mistakes {
			if m.what == what {
				return &failure{f.machineBuild, c, f.procs, plans, o, []mistake{m}}, nil
			}
		}
	}
	return nil, nil
}
