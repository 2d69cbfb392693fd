// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/suggest"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

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

// checkFlags refuses flags with which commute cannot share a build. It can't tell every flag from
// the value of another one. In doubt it lets the flag pass; a detector that passes here is refused
// when the first package is compiled.
func checkFlags(name string, args []string, goflags string) error {
	for _, arg := range strings.Fields(goflags) {
		if err := checkFlag(strings.Trim(arg, "'\""), " in GOFLAGS"); err != nil {
			return err
		}
	}
	for i, arg := range args {
		if arg == "-args" || arg == "--args" {
			break // what follows is the test's
		}
		if (arg == "-tags" || arg == "--tags") && i+1 < len(args) {
			arg += "=" + args[i+1]
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

// checkFlag refuses one flag that commute cannot share a build with; where is said in the error.
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
		return fmt.Errorf("commute is run by -toolexec itself and cannot share it: drop "+
			"-toolexec%s", where)
	case "tags":
		return checkTags(value, where)
	}
	return nil
}

// checkTags refuses the tags that the go command sets for a detector. With one of them, and without
// its flag, the runtime calls a detector that is not linked.
func checkTags(list, where string) error {
	for _, tag := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if tag == "race" || tag == "msan" || tag == "asan" {
			return fmt.Errorf("the tag %s%s is only for builds with -%[1]s, which commute cannot "+
				"watch: drop it, or use a tag with another name", tag, where)
		}
	}
	return nil
}

// checkUnknown refuses misspelt flags of commute's or of the go command's. go test would build
// everything, and the test binaries would refuse them. A flag that a test declares has its name
// somewhere in the source. The source is only searched for a flag that is suspect.
func checkUnknown(name string, args []string, build *golist.Build) error {
	known := golist.Flags()
	for _, f := range flagTable {
		known = append(known, f.name)
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" || name == "run" && !strings.HasPrefix(arg, "-") {
			return nil
		}
		flag, _, hasValue := cutFlag(arg)
		if !hasValue && golist.TakesValue(flag) {
			i++
			continue
		}
		if slices.Contains(known, flag) || strings.HasPrefix(flag, "test.") ||
			strings.HasPrefix(flag, "debug-") {
			continue
		}
		near := suggest.Typo(flag, slices.DeleteFunc(slices.Clone(known),
			func(k string) bool { return len(k) < 3 }))
		explores := strings.HasPrefix(flag, "explore_")
		if near == "" && !explores || name == "test" && build.Quotes(flag) {
			continue
		}
		if near == "" {
			return fmt.Errorf("unknown flag -%s (commute help test lists those that go with "+
				"-explore; a flag of the tests' own goes behind -args)", flag)
		}
		hint := "did you mean -" + near + "?"
		if near == "race" {
			hint += " Commute has -datarace in its place."
		}
		if name == "test" {
			hint += " A flag of the tests' own goes behind -args"
		}
		return fmt.Errorf("unknown flag -%s (%s)", flag, hint)
	}
	return nil
}
