// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/explore"
	"github.com/commutego/commute/internal/toolchain/golist"
)

func setConfirm(own *setting, value string) error {
	own.confirm = value
	if value == "default" {
		return nil
	}
	if err := new(explore.Plan).ParseLimit(value); err != nil {
		return fmt.Errorf("-confirm=%s: want a number of runs, as in -confirm=200, or a time for "+
			"each test, as in -confirm=30s", value)
	}
	return nil
}

// unconfirmable are flags of go test that don't go with -confirm, and why.
var unconfirmable = []struct{ flag, why string }{
	{"exec", "it needs the flag itself"},
	{"fuzz", "a fuzzer has processes of its own"},
	{"c", "it runs the tests"},
}

// confirmArgs refuses what doesn't go with -confirm, and returns the arguments for the go command,
// which gets one flag more. Args is the command line without -C.
func (c *goCall) confirmArgs(raw, args []string) ([]string, error) {
	if c.own.confirm == "" {
		return args, os.Unsetenv(explore.ConfirmVariable) // commute may test itself
	}
	switch {
	case c.build.Command != "test":
		return nil, errors.New("-confirm is for commute test")
	case c.own.explore != nil:
		return nil, errors.New("-confirm is for a run that is not explored: drop -explore, or " +
			"-replay")
	case c.own.predict || c.own.trace != "":
		return nil, errors.New("-confirm confirms what the run itself reports: drop -predict, or " +
			"-trace")
	}
	for _, u := range unconfirmable {
		if hasFlag(u.flag, args, c.env.GOFLAGS) {
			return nil, fmt.Errorf("-confirm and -%s do not go together: %s", u.flag, u.why)
		}
	}
	if why := uncontrolled(c.env); why != "" {
		return nil, fmt.Errorf("-confirm: schedules can't be controlled here: %s", why)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	quoted, err := quote(self)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	flags, after := exploringFlags(raw)
	command := slices.Concat([]string{self, "test"}, c.build.Chdir,
		[]string{"-explore=" + strings.TrimPrefix(c.own.confirm, "=")}, flags)
	if c.own.confirm == "default" {
		command[slices.Index(command, "-explore=default")] = "-explore"
	}
	plan, err := json.Marshal(explore.Confirmation{Command: command, Dir: dir, After: after})
	if err != nil {
		return nil, err
	}
	return append([]string{"-exec=" + quoted + " " + explore.ConfirmWord}, args...),
		os.Setenv(explore.ConfirmVariable, string(plan))
}

// notExploring are flags that the call that explores doesn't get: those about what is printed,
// which tests run and how often, and what -explore refuses. Those about how a program is built
// stay.
var notExploring = []string{"confirm", "v", "json", "run", "skip", "count", "failfast", "bench",
	"benchtime", "benchmem", "cpu", "parallel", "shuffle", "cover", "covermode", "coverpkg",
	"coverprofile", "cpuprofile", "memprofile", "memprofilerate", "blockprofile",
	"blockprofilerate", "mutexprofile", "mutexprofilefraction", "trace", "outputdir", "o", "strict",
	"fullpath", "list", "artifacts"}

// exploringFlags are the flags of a command line for the call that explores, and what follows its
// packages.
func exploringFlags(args []string) (flags, after []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" {
			return flags, args[i:]
		}
		name, _, hasValue := cutFlag(arg)
		if name == "" {
			continue // a package
		}
		n := 1
		if !hasValue && i+1 < len(args) && takesNext(name) {
			n = 2
		}
		if !slices.Contains(notExploring, strings.TrimPrefix(name, "test.")) {
			flags = append(flags, args[i:i+n]...)
		}
		i += n - 1
	}
	return flags, nil
}

// takesNext reports whether a flag without a value takes the argument after it.
func takesNext(name string) bool {
	for _, f := range flagTable {
		if f.name == name {
			return f.arg != "" && f.bare == ""
		}
	}
	return golist.TakesValue(name)
}

// confirmTests is what the go command runs in place of a test binary.
func confirmTests(line []string) int {
	code, err := explore.Confirm(line, os.Stdout)
	if err != nil {
		return fail(err)
	}
	if code < 0 {
		code = 2 // a signal has ended it
	}
	return code
}
