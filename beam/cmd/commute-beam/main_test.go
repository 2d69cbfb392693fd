// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/option"
)

// TestMain has the tests' program be the command, when a test runs it as such.
func TestMain(m *testing.M) {
	if os.Getenv("COMMUTE_BEAM_MAIN") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command is what the command prints, and its exit code.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "COMMUTE_BEAM_MAIN=1")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

const traces = "../../../testdata/docs/traces/"

// TestCommand runs the command, and compares what it prints and its exit code.
func TestCommand(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules")
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string // parts of them
	}{
		{"-check=hb " + traces + "de*.std", 0, `"findings":0`, "1 trace, 11 events, 0 findings"},
		{traces + "de*.std", 1, `"check":"frontier"`, "frontier: 1 finding in 1 of 1 trace"},
		{"-check=avp -all -window=10 " + traces + "de*.std", 1, `"check":"avp"`, "avp: 1"},
		{"-check=avp,forest-conflict " + traces + "be*.std", 1, `"blocks":{"n":1,"filtered":1`,
			"forest-conflict: 0 transactions are proven, 1 are not serializable"},
		{traces + "*.std", 2, `"check":"frontier"`, "broken.std:2:4: unknown operation"},
		{traces + "none*", 2, `"failed":1`, "none*: no such file or directory"},
		{"-mutexes=false -check=goodlock " + traces + "de*", 2, `"failed":1`, "which locks are"},
		{"", 2, "", "usage: commute-beam"},
		{"-help", 0, "", "usage: commute-beam"},
		{"-chekc=hb x", 2, "", "flag provided but not defined: -chekc"},
		{"-check=x x", 2, "", `unknown check "x"`},
		{"-level=x x", 2, "", `unknown level "x"`},
		{"-format=x x", 2, "", `unknown format "x"`},
		{"-window=0 x", 2, "", "-window=0 (want a number"},
		{"-json=false x", 2, "", "-json=false"},
		{"-mutexes=x x", 2, "", `invalid boolean value "x" for -mutexes`},
		{"-suppressions=" + rules + " x", 2, "", "-suppressions: open"},
		{"-runner=flink x", 2, "", "-runner=flink needs -output"},
		{"-async x", 2, "", "-async needs -output"},
		{"-explore=0 x", 2, "", "-explore=0: want at least 1 run"},
		{"-explore=9 -check=hb x", 2, "", "-check is for traces, and -explore for tests"},
		{"-explore=9 -shards=0 x", 2, "", "-shards=0 (want a number"},
		{"-explore=9 ./nosuch/...", 2, `"failed":1`, "1 package with an error"},
		{"-shards=2 x", 2, "", "-shards needs -explore"},
		{"nosuch://x", 2, "", "scheme \"nosuch\" not registered"},
	} {
		stdout, stderr, code := command(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) ||
			!strings.Contains(stderr, c.stderr) || c.stdout == "" && stdout != "" {
			t.Errorf("commute-beam %s: code %d\n%s\n%s\nwant %d, %q, %q", c.args, code, stdout,
				stderr, c.code, c.stdout, c.stderr)
		}
		if strings.Contains(stderr, "level=") && !strings.Contains(c.args, "-explore=") {
			t.Errorf("commute-beam %s: Beam says\n%s", c.args, stderr)
		}
	}
}

// TestOutput has the lines written into a file, in a folder that isn't there, and not elsewhere.
func TestOutput(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "b.jsonl")
	want, _, _ := command(t, traces+"*.std")
	stdout, stderr, code := command(t, "-output="+out, traces+"*.std")
	got, err := os.ReadFile(out)
	if err != nil || string(got) != want || stdout != "" || code != 2 {
		t.Errorf("%v, code %d, printed %q\n%s\n%s\nwant\n%s", err, code, stdout, stderr, got, want)
	}
}

// TestFlags has all flags of commute analyze but one, with their defaults, and Beam's, which are
// others.
func TestFlags(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	commandOf(fs)
	n := 0
	for _, f := range option.Flags {
		if !slices.Contains(f.Commands, "analyze") || f.Name == "report" {
			continue // what is found is a line for each finding here
		}
		n++
		name, _, _ := strings.Cut(f.Name, "=")
		mine := fs.Lookup(name)
		if mine == nil {
			t.Errorf("no flag -%s", name)
		} else if f.Default != "" && name != "check" && mine.DefValue != f.Default {
			t.Errorf("-%s is %s, want %s", name, mine.DefValue, f.Default)
		}
		if !strings.Contains(help(), "\t-"+f.Name) {
			t.Errorf("the help text lacks -%s", f.Name)
		}
		if flag.Lookup(name) != nil {
			t.Errorf("-%s is a flag of Beam, too", name)
		}
	}
	if n < 9 {
		t.Errorf("%d flags", n)
	}
}
