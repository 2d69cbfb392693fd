// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package longtest

import (
	"flag"
	"strconv"
	"testing"
)

// AtOnce has some more parallel tests of a package run at once than there are processors, unless
// the command line says how many: these wait for processes that sleep, and for each other's builds.
// TestMain calls it.
func AtOnce(tests int) {
	testing.Init()
	flag.Parse()
	atLeast(flag.CommandLine, "test.parallel", tests)
}

// atLeast sets a flag that has been given no value, and has a smaller one by default.
func atLeast(flags *flag.FlagSet, name string, n int) {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if f := flags.Lookup(name); !given {
		if now, err := strconv.Atoi(f.Value.String()); err != nil || now < n {
			_ = f.Value.Set(strconv.Itoa(n))
		}
	}
}
