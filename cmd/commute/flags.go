// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// A setting is commute's own flags.
type setting struct {
	specs    []string // -spec
	datarace bool     // -datarace
	watch    []string // -watch
	atomic   []string // -atomic
	trace    string   // -trace
	last     uint64   // -trace_last, in megabytes; 0: it's not given
	limit    uint64   // -trace_limit, likewise
	strict   bool     // -strict
}

// takeOwn takes the flags that are commute's own out of args.
func takeOwn(name string, args []string) (own setting, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" || name == "run" && !strings.HasPrefix(arg, "-") {
			return own, append(rest, args[i:]...), nil // what follows is the program's
		}
		flag, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if !strings.HasPrefix(arg, "-") {
			flag = ""
		}
		switch flag {
		case "datarace":
			if own.datarace, err = strconv.ParseBool(cmp.Or(value, "true")); err != nil {
				return own, nil, fmt.Errorf("invalid boolean value %q for -datarace", value)
			}
		case "strict":
			if own.strict, err = strconv.ParseBool(cmp.Or(value, "true")); err != nil {
				return own, nil, fmt.Errorf("invalid boolean value %q for -strict", value)
			}
			if own.strict && name == "build" {
				return own, nil, errors.New("-strict is about a run in which nothing was watched: it is for test and run")
			}
		case "spec", "watch", "atomic", "trace", "trace_last", "trace_limit":
			if !hasValue && i+1 < len(args) {
				i++
				value = args[i]
			}
			if err := own.add(flag, value); err != nil {
				return own, nil, err
			}
		default:
			rest = append(rest, arg)
		}
	}
	return own, rest, nil
}

// add takes the value of a flag.
func (own *setting) add(flag, value string) error {
	switch {
	case flag == "trace_last" || flag == "trace_limit":
		return own.setSize(flag, value)
	case flag == "trace" && value != "" && !strings.HasPrefix(value, "-"):
		own.trace = value
	case flag == "trace":
		return errors.New("flag needs an argument: -trace (a folder, for the traces of what runs)")
	case flag == "spec" && value != "":
		own.specs = append(own.specs, value)
	case flag == "spec":
		return errors.New("flag needs an argument: -spec (a .ecl file, or a package that \"commute spec list\" shows)")
	case flag == "watch" && value != "":
		own.watch = append(own.watch, value)
	case flag == "watch":
		return errors.New("flag needs an argument: -watch (a pattern of packages, as ./... or all)")
	case value == "" || strings.HasPrefix(value, "-"):
		return errors.New("flag needs an argument: -atomic (a pattern of functions, as 'bank.(*Account).*', or exported)")
	default:
		own.atomic = append(own.atomic, value)
		return transaction.CheckPattern(value)
	}
	return nil
}

// setSize takes the value of -trace_last or -trace_limit.
func (own *setting) setSize(flag, value string) error {
	n, err := strconv.ParseUint(value, 10, 24)
	if err != nil || n == 0 {
		return fmt.Errorf("invalid value %q for -%s (want a number of megabytes, as 64)", value, flag)
	}
	if flag == "trace_last" {
		own.last = n
	} else {
		own.limit = n
	}
	return nil
}

// hasFlag reports whether the go command is given a flag, here or in GOFLAGS.
func hasFlag(flag string, args []string, goflags string) bool {
	for _, arg := range append(strings.Fields(goflags), args...) {
		if arg == "-args" || arg == "--args" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(strings.Trim(arg, "'\""), "-"), "=")
		if strings.HasPrefix(strings.Trim(arg, "'\""), "-") && name == flag {
			return true
		}
	}
	return false
}

// checkFlags refuses the flags that commute cannot share a build with. It keeps
// no table of the go command's flags, so it cannot tell every flag from the value
// of another: in doubt it lets the flag through, and a detector that slips
// through here is refused when the first package is compiled.
func checkFlags(name string, args []string, goflags string) error {
	for _, arg := range strings.Fields(goflags) {
		if err := checkFlag(strings.Trim(arg, "'\""), " in GOFLAGS"); err != nil {
			return err
		}
	}
	for _, arg := range args {
		if arg == "-args" || arg == "--args" {
			break // what follows is the test's
		}
		if name == "run" && !strings.HasPrefix(arg, "-") {
			break // what follows is the program's
		}
		if err := checkFlag(arg, ""); err != nil {
			return err
		}
	}
	return nil
}

func checkFlag(arg, where string) error {
	flag, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return nil
	}
	name, value, hasValue := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
	switch name {
	case "race", "msan", "asan":
		if !hasValue || value == "true" || value == "1" {
			return toolexec.DetectorError("-" + name)
		}
	case "toolexec":
		return fmt.Errorf("commute is run by -toolexec itself and cannot share it: drop -toolexec%s", where)
	}
	return nil
}
