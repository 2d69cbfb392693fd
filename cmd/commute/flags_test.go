// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// TestFlagTable has each command take those flags that the table of package option lists for it,
// from which its help text and docs/options.md come.
func TestFlagTable(t *testing.T) {
	defer func() { parse = (*flag.FlagSet).Parse }()
	var declared []string
	var name string
	parse = func(fs *flag.FlagSet, _ []string) error {
		name = fs.Name()
		fs.VisitAll(func(f *flag.Flag) { declared = append(declared, f.Name) })
		return flag.ErrHelp // so that the command goes no further
	}
	seen := 0
	for _, words := range []string{"analyze", "trace info", "trace cat", "trace validate",
		"trace convert", "trace gen", "trace cut", "bench papers", "spec test"} {
		declared = nil
		fields := strings.Fields(words)
		for _, c := range commands {
			if c.name == fields[0] {
				c.run(fields[1:], toolexec.Config{})
			}
		}
		var listed []string
		for _, name := range option.NamesOf(words) {
			listed = append(listed, strings.TrimSuffix(name, "=false"))
		}
		slices.Sort(listed)
		if name != words || !slices.Equal(declared, listed) {
			t.Errorf("%s: takes %s, and the table has %s", name, declared, listed)
		}
		seen += len(declared)
	}
	if seen < 30 {
		t.Errorf("%d flags", seen)
	}
}

// TestSetters has something to do for each flag of commute test, and no flag of run and build
// that test has not.
func TestSetters(t *testing.T) {
	names := option.NamesOf("test")
	for _, name := range names {
		if setters[name] == nil {
			t.Errorf("-%s does nothing", name)
		}
	}
	if len(setters) != len(names) {
		t.Errorf("%d flags have a meaning, and the table has %s", len(setters), names)
	}
	for _, command := range []string{"run", "build"} {
		for _, name := range option.NamesOf(command) {
			if !slices.Contains(names, name) {
				t.Errorf("commute %s has -%s, and commute test has not", command, name)
			}
		}
	}
}

// TestToolexecFlags has commute toolexec take the flags that the table lists for it, and no other.
func TestToolexecFlags(t *testing.T) {
	for _, f := range option.FlagsOf("toolexec") {
		args := []string{"-" + f.Name}
		if f.Value != "" {
			args = append(args, "all")
		}
		_, _, err := toolexec.ParseFlags(append(args, "/tool"))
		if err != nil && strings.Contains(err.Error(), "unknown flag") {
			t.Error(err)
		}
	}
	for _, f := range option.FlagsOf("test") {
		if slices.Contains(f.Commands, "toolexec") {
			continue
		}
		_, _, err := toolexec.ParseFlags([]string{"-" + f.Name, "/tool"})
		if err == nil || !strings.Contains(err.Error(), "unknown flag") {
			t.Errorf("commute toolexec knows -%s: %v", f.Name, err)
		}
	}
}
