// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// plan is the plan of the flags for exploration, which is made with the first of them.
func (own *setting) plan() *explore.Plan {
	if own.explore == nil {
		own.explore = &explore.Plan{Base: 1, Timeout: 10 * time.Minute}
	}
	return own.explore
}

func setExplore(own *setting, value string) error {
	p := own.plan()
	if value == "default" {
		p.Runs, p.Time = explore.DefaultRuns, explore.DefaultTime
		return nil
	}
	return p.ParseLimit(value)
}

func setExploreSeed(own *setting, value string) (err error) {
	own.needsExplore = "-explore_seed says which schedules are explored"
	if own.plan().Base, err = strconv.ParseUint(value, 10, 64); err != nil {
		return fmt.Errorf("-explore_seed=%s: want a number", value)
	}
	return nil
}

func setExploreLeaks(own *setting, value string) error {
	if value != "on" && value != "off" {
		return fmt.Errorf("-explore_leaks=%s: want on or off", value)
	}
	own.plan().LeaksOff = value == "off"
	return nil
}

func setExplorePerturb(own *setting, value string) (err error) {
	own.needsExplore = "-explore_perturb says how schedules are explored"
	own.plan().Perturb, err = strconv.ParseBool(value)
	return err
}

// unexplored are flags of go test that don't go with exploration, and why.
var unexplored = []struct{ flag, why string }{
	{"bench", "a benchmark is about time, and time stands still"},
	{"fuzz", "a fuzzer has processes of its own"},
	{"cpu", "one goroutine runs at a time"},
	{"c", "it runs the tests"},
	{"list", "it runs the tests"},
	{"cover", "several processes run each test"},
	{"coverprofile", "several processes run each test"},
	{"cpuprofile", "several processes run each test"},
	{"memprofile", "several processes run each test"},
	{"blockprofile", "several processes run each test"},
	{"mutexprofile", "several processes run each test"},
	{"shuffle", "each test runs by itself"},
	{"count", "-explore=N says how often each test is run"},
}

// exploreArgs refuses what doesn't go with exploration, and returns the arguments for the go
// command, which gets one flag more and, as exploring takes its time, no -timeout.
func (c *goCall) exploreArgs(args []string) ([]string, error) {
	plan := c.own.explore
	if plan == nil {
		return args, os.Unsetenv(toolexec.ExploreVariable) // commute may test itself
	}
	if why := c.own.needsExplore; plan.Runs == 0 && plan.Time == 0 && why != "" {
		return nil, errors.New(why + "; it needs -explore")
	}
	if plan.Runs == 0 && plan.Time == 0 && plan.Replay == "" {
		return nil, errors.New("-explore_leaks says how schedules are explored: it needs -explore")
	}
	name := "-explore"
	if plan.Replay != "" {
		if name = "-replay"; plan.Runs > 0 || plan.Time > 0 {
			return nil, errors.New("-replay runs a test once, and -explore looks for new " +
				"schedules: drop one of them")
		}
	}
	if c.build.Command != "test" {
		return nil, fmt.Errorf("%s is for commute test: it runs tests by many schedules", name)
	}
	if c.own.trace != "" {
		return nil, fmt.Errorf("%s and -trace: traces of explored runs are not recorded; drop one "+
			"of them", name)
	}
	if c.own.predict {
		return nil, fmt.Errorf("%s and -predict: what is predicted is looked for in a trace; drop "+
			"one of them", name)
	}
	for _, u := range unexplored {
		if u.flag == "count" && c.own.strict {
			continue // that is why it is given
		}
		flags := c.env.GOFLAGS
		if u.flag == "count" {
			flags = "" // there it says that nothing comes from the cache, and nothing does
		}
		if hasFlag(u.flag, args, flags) {
			return nil, fmt.Errorf("%s and -%s do not go together: %s", name, u.flag, u.why)
		}
	}
	if err := c.perturb(plan); err != nil {
		return nil, err
	}
	if hasFlag("failfast", args, "") {
		plan.Fast = true
	}
	value, args, limited := takeValue("timeout", args)
	if limited {
		d, err := time.ParseDuration(value)
		if err != nil {
			return nil, fmt.Errorf("-timeout %s: %w", value, err)
		}
		plan.Timeout = d
	}
	if err := c.own.cover.check(); err != nil {
		return nil, err
	}
	procs, _, given := takeValue("p", args)
	if !given {
		procs, _, _ = takeValue("p", strings.Fields(c.env.GOFLAGS))
	}
	plan.Procs = exploreProcs(procs)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	quoted, err := quote(self)
	if err != nil {
		return nil, err
	}
	users, args := takeExec(c.build.Command, args, c.env)
	runner := strings.TrimSpace(quoted + " " + explore.ExecWord + " " + users)
	how := "1"
	if plan.Perturb {
		how = toolexec.Perturbs
	}
	return append([]string{"-exec=" + runner, "-count=1", "-timeout=0"}, args...),
		os.Setenv(toolexec.ExploreVariable, how)
}

// takeValue takes a flag with a value out of args.
func takeValue(flag string, args []string) (value string, rest []string, given bool) {
	rest = slices.Clone(args)
	for i := 0; i < len(rest); i++ {
		if rest[i] == "-args" || rest[i] == "--args" {
			break
		}
		name, v, hasValue := cutFlag(rest[i])
		if strings.TrimPrefix(name, "test.") != flag {
			continue
		}
		n := 1
		if !hasValue && i+1 < len(rest) {
			n, v = 2, rest[i+1]
		}
		rest = slices.Delete(rest, i, i+n)
		value, given = v, true
		i--
	}
	return value, rest, given
}

// exploreTests is what the go command runs in place of a test binary.
func exploreTests(line []string) int {
	code, err := explore.Main(line, os.Stdout)
	if err != nil {
		return fail(err)
	}
	return code
}

// tellExplored hands the plan to the programs of the run. The function that it returns says in a
// line what they have explored.
func (s *session) tellExplored(dir string) (func() (string, error), error) {
	if s.own.explore == nil {
		return func() (string, error) { return "", nil }, nil
	}
	told, err := os.MkdirTemp(filepath.Dir(dir), "commute-explored-")
	if err != nil {
		return nil, err
	}
	s.own.explore.Told = told
	return func() (string, error) {
		defer os.RemoveAll(told)
		notes, _, _ := explore.Told(told)
		for _, note := range notes {
			fmt.Fprintln(os.Stderr, "commute:", note)
		}
		line := explore.Summary(told)
		covered, err := s.own.cover.finish(told)
		if list, unread := explore.ReadReplayable(told); unread == nil {
			s.replayable = list
		} else if err == nil {
			err = unread
		}
		return strings.TrimSpace(line + "\n" + covered), err
	}, os.Setenv(explore.PlanVariable, s.own.explore.String())
}
