// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// PlanVariable is the environment variable by which commute test hands a plan to the program that
// the go command runs in place of test binaries. ExecWord is that program's first argument.
const (
	PlanVariable = "COMMUTE_EXPLORE_PLAN"
	ExecWord     = "explore-exec"
)

// leaksVariable is the environment variable that is off for a program in which leaked goroutines
// fail no run: the templates' exploreleak.go reads it.
const leaksVariable = "COMMUTE_EXPLORE_LEAKS"

// The default plan.
const (
	DefaultRuns = 64
	DefaultTime = 10 * time.Second
)

// A Plan says how tests are explored.
type Plan struct {
	Runs     int           // for each test, 0 for no limit
	Time     time.Duration // for each test, 0 for no limit
	Base     uint64        // seeds are drawn from it
	Replay   string        // seeds of the one run, or of several in a process; "" to explore
	Timeout  time.Duration // of a test, 0 for none
	Told     string        // a folder for data that is printed at the end, "" for none
	Package  string        // the package under test, for what is printed
	Fast     bool          // stop at the first test that fails
	LeaksOff bool          // leaked goroutines fail no run
	Perturb  bool          // schedules are perturbed, as they can't be controlled,
	Asked    bool          // or as the user has asked for that
	Policies string        // that are used, with commas between; "" for the usual ones
	Shard    Shard         // the part of the runs
	All      bool          // go on after a failure
	Rough    bool          // failures are not shrunk
	Procs    int           // how many test binaries run at once, of all packages; 0 for one
	File     string        // the file of a schedule that is replayed, "" for none
	Keep     string        // the folder in which schedules are kept, "" for none
	Kept     bool          // run what is kept, and nothing else

	file    *File  // what is in File
	version string // of Go, of the test binary
}

// ParseLimit reads the value of -explore: a number of runs, or a time.
func (p *Plan) ParseLimit(value string) error {
	if n, err := strconv.Atoi(value); err == nil {
		if n < 1 {
			return fmt.Errorf("-explore=%s: want at least 1 run", value)
		}
		p.Runs, p.Time = n, 0
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return fmt.Errorf("-explore=%s: want a number of runs, as in -explore=200, or a time for "+
			"each test, as in -explore=30s", value)
	}
	p.Runs, p.Time = 0, d
	return nil
}

// String is the plan as the variable has it.
func (p Plan) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // it has numbers and texts only
	}
	return string(text)
}

// ParsePlan reads the variable.
func ParsePlan(text string) (p Plan, err error) {
	if err = json.Unmarshal([]byte(text), &p); err != nil {
		err = fmt.Errorf("%s is no plan: %w", PlanVariable, err)
	}
	return p, err
}
