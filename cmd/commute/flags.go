// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/toolchain/toolexec"
)

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
