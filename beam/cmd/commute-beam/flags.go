// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/commutego/commute/beam/internal/pipeline"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/option"
)

const usage = `usage: commute-beam [flags] PATTERN...

Checks the recorded traces whose names match a PATTERN, as "commute analyze" does each, by a
pipeline of Apache Beam. Findings at the same places are one, whatever trace they are of. Each is a
line of JSON. PATTERN is quoted for the shell, and may be on any file system that Beam has, as
'gs://bucket/traces/*'.

	-output FILE
		write the lines into FILE, on any such file system. Without it they go to standard output.
	-verbose
		have Beam say what it does, on standard error.
`

const usageOfBeam = `
Beam's own flags say where the pipeline runs. Without them it is this process.

	-runner RUNNER  (default prism)
	-endpoint HOST:PORT
	-environment_type TYPE
	-environment_config CONFIG
	-job_name NAME
	-parallelism N
		and others, as -project and -region for -runner=dataflow.

The exit code is 0 if nothing is found, 1 if something is, and 2 if a trace cannot be read or is not
well-formed, or a package cannot be explored; what was found in the others is written.
`

// help is the help text. Flags of commute analyze say here what they say there.
func help() string {
	var b strings.Builder
	for _, c := range offline.Checks {
		fmt.Fprintf(&b, "\t\t%-16s%s\n", c.Name, c.Short)
	}
	return usage + option.FlagHelp(map[string]string{"check": b.String()}, "analyze") +
		usageOfExplore + usageOfBeam
}

// flags has the values of the flags.
type flags struct {
	output, check, level, suppressions, format *string
	all, json, verbose                         *bool
	window, budget, switches                   *int
	bound, tas, static, forest, reduce         *bool
	mutexes                                    *bool // nil if it wasn't said
}

// commandOf declares the flags.
func commandOf(fs *flag.FlagSet) *flags {
	c := &flags{
		output: fs.String("output", "", ""), check: fs.String("check", "", ""),
		level:        fs.String("level", "updates", ""),
		suppressions: fs.String("suppressions", "", ""), format: fs.String("format", "", ""),
		all: fs.Bool("all", false, ""), json: fs.Bool("json", true, ""),
		verbose:  fs.Bool("verbose", false, ""),
		window:   fs.Int("window", avp.DefaultWindow, ""),
		budget:   fs.Int("budget", avp.DefaultBudget, ""),
		switches: fs.Int("switches", avp.DefaultSwitches, ""),
		bound:    fs.Bool("bound", false, ""), tas: fs.Bool("tas", true, ""),
		static: fs.Bool("static", true, ""), forest: fs.Bool("forest", true, ""),
		reduce: fs.Bool("reduce", true, ""),
	}
	fs.BoolFunc("mutexes", "", func(s string) error {
		is, err := strconv.ParseBool(s)
		c.mutexes = &is
		return err
	})
	return c
}

// options are what the flags ask for, as far as that makes sense.
func (c *flags) options() (o pipeline.Options, err error) {
	for _, f := range []struct {
		name  string
		value int
	}{{"window", *c.window}, {"budget", *c.budget}, {"switches", *c.switches}} {
		if f.value < 1 || f.value > 1<<30 {
			return o, fmt.Errorf("-%s=%d (want a number from 1 to 2^30)", f.name, f.value)
		}
	}
	if !*c.json {
		return o, errors.New("-json=false (the output is JSON; commute analyze has words)")
	}
	o = pipeline.Options{
		All: *c.all, Level: *c.level, Format: *c.format, Mutexes: c.mutexes,
		AVP: avp.Options{
			Window: *c.window, Budget: *c.budget, Switches: *c.switches, Bound: *c.bound,
			NoTAS: !*c.tas, NoStatic: !*c.static, NoForest: !*c.forest, NoReduction: !*c.reduce,
		},
	}
	if *c.check != "" {
		o.Checks = strings.Split(*c.check, ",")
	}
	if *c.suppressions != "" {
		text, err := os.ReadFile(*c.suppressions)
		if err != nil {
			return o, fmt.Errorf("-suppressions: %v (want a file, see docs/options.md)", err)
		}
		o.Suppressions = string(text)
	}
	return o, o.Check()
}
