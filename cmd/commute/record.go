// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/target"
)

// record has the programs that are run write traces into a folder, which is made if there is none.
// Cached test results would leave no trace, so tests are run anew. For -predict, what runs them has
// them write traces elsewhere (predictrun.go).
func record(own *setting, name string, args []string) ([]string, error) {
	dir := own.trace
	switch {
	case own.predict && own.last != 0:
		return nil, errors.New("-predict looks at a trace from its beginning: drop -trace_last " +
			"(-trace_limit says how much of it)")
	case dir == "" && own.last != 0:
		return nil, errors.New("-trace_last says how much is kept of a trace; it needs -trace, " +
			"with a folder for that")
	case dir == "" && own.limit != 0 && !own.predict:
		return nil, errors.New("-trace_limit says how long a trace may get; it needs -trace, " +
			"with a folder for that")
	case dir == "" && !own.predict:
		return args, nil
	case own.last != 0 && own.limit != 0:
		return nil, errors.New("-trace_last keeps the end of a trace, and -trace_limit the " +
			"beginning: drop one of them")
	}
	if name == "build" || name == "test" && hasFlag("c", args, "") {
		if own.predict {
			return nil, errors.New("-predict is for programs that are run: build this one " +
				"without it, run it with COMMUTE=trace=FOLDER in its environment, and give " +
				"the trace to commute analyze -check=avp")
		}
		return nil, errors.New("-trace is for programs that are run: build this one with " +
			"-datarace, and run it with COMMUTE=trace=FOLDER in its environment")
	}
	if dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		own.options = append(own.options, option.Setting{Name: "trace", Value: dir})
	}
	if own.last != 0 {
		own.options = append(own.options,
			option.Setting{Name: "trace_last_mb", Value: fmt.Sprint(own.last)})
	}
	if own.limit != 0 {
		own.options = append(own.options,
			option.Setting{Name: "trace_limit_mb", Value: fmt.Sprint(own.limit)})
	}
	if name == "test" && !hasFlag("count", args, "") {
		args = append([]string{"-count=1"}, args...)
	}
	return args, nil
}

// checkRecordable returns an error if the environment asks what is run for a trace, though its
// memory is not watched.
func checkRecordable(name string, args []string) error {
	list, _ := option.Parse(os.Getenv(option.Variable))
	i := slices.IndexFunc(list, func(s option.Setting) bool { return s.Name == "trace" })
	if i < 0 || name != "test" && name != "run" || name == "test" && hasFlag("c", args, "") {
		return nil
	}
	return fmt.Errorf("%s=%s in the environment needs a program whose memory is watched: take the "+
		"flag -trace in its place, or give -datarace as well", option.Variable,
		option.String(list[i:i+1]))
}

// checkDeadlock refuses what the options want of deadlocks on a port where none are looked for.
func checkDeadlock(list []option.Setting) error {
	value := ""
	for _, s := range list {
		if s.Name == "deadlock" {
			value = s.Value // the last one counts
		}
	}
	if p := target.Current(""); value == "fail" && !p.Deadlocks() {
		return fmt.Errorf("-deadlock is for amd64 and arm64: potential deadlocks are not looked "+
			"for on %s; drop the flag", p)
	}
	return nil
}

// giveOptions reads the options in the environment before anything is built, and adds those of
// flags. Paths are relative to the folder in which commute is run, whichever folder a test runs in.
func giveOptions(own *setting, name string, args []string) error {
	list, wrong := option.Parse(os.Getenv(option.Variable))
	if name == "build" || name == "test" && hasFlag("c", args, "") {
		if len(own.options) > 0 {
			flag := own.options[0]
			return fmt.Errorf("-%s is for programs that are run: run this one with %s=%s in its "+
				"environment", flag.Name, option.Variable, option.String([]option.Setting{flag}))
		}
		return wrong
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	list, rules, err := option.Resolve(append(own.usual(name, list), own.options...), dir)
	if err := errors.Join(wrong, err); err != nil {
		return err
	}
	if err := checkDeadlock(list); err != nil {
		return err
	}
	if list, rules, err = own.silence(list, rules, time.Now()); err != nil {
		return err
	}
	if name != "test" || rules == "" {
		os.Unsetenv(option.RulesVariable) // commute may test itself
	} else if err := os.Setenv(option.RulesVariable, rules); err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	return os.Setenv(option.Variable, option.String(list))
}

// usual are options of programs that go by how commute itself is run, before those in list. Reports
// are read back from the output of explored tests, so there all have to be in it.
func (own *setting) usual(name string, list []option.Setting) (all []option.Setting) {
	out := os.Stderr
	if name == "test" {
		out = os.Stdout
	}
	if terminal(out) && os.Getenv("NO_COLOR") == "" {
		all = append(all, option.Setting{Name: "color", Value: "1"})
	}
	if own.explore != nil || own.confirm != "" {
		all = append(all, option.Setting{Name: "max_reports", Value: "0"},
			option.Setting{Name: "color", Value: "0"})
	}
	return append(all, list...)
}
