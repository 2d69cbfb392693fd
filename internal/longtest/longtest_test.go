// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package longtest

import (
	"flag"
	"os"
	"testing"
)

// A skipped test notes whether it is skipped.
type skipped struct {
	testing.TB
	is bool
}

func (s *skipped) Helper()              {}
func (s *skipped) Skipf(string, ...any) { s.is = true }

// TestAsked runs a long test, and one that is the same, for each value of the variable.
func TestAsked(t *testing.T) {
	for value, runs := range map[string][2]bool{
		"": {false, true}, "0": {false, true}, "1": {true, true}, more: {true, false},
	} {
		t.Setenv(Variable, value)
		long, same := new(skipped), new(skipped)
		Need(long, "it takes long")
		Same(same)
		if got := [2]bool{!long.is, !same.is}; got != runs || Asked() != runs[0] {
			t.Errorf("%q: runs %v, want %v", value, got, runs)
		}
	}
}

// TestAtLeast raises a number, unless it is given.
func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		args    []string
		n, want int
	}{{nil, 2, 3}, {nil, 5, 5}, {[]string{"-p=1"}, 5, 1}, {[]string{"-p=3"}, 5, 3}} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		p := flags.Int("p", 3, "")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if atLeast(flags, "p", c.n); *p != c.want {
			t.Errorf("%q, at least %d: it is %d, want %d", c.args, c.n, *p, c.want)
		}
	}
}

// TestAtOnce has more tests run at once than there are processors.
func TestAtOnce(t *testing.T) {
	before := flag.Lookup("test.parallel").Value.String()
	defer flag.Lookup("test.parallel").Value.Set(before)
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	AtOnce(1000)
	if now := flag.Lookup("test.parallel").Value.String(); (now == "1000") == given {
		t.Errorf("%s are run at once, %s before", now, before)
	}
}

// TestUnvetted adds a flag to those that there are.
func TestUnvetted(t *testing.T) {
	for before, want := range map[string]string{
		"": "-vet=off", "-mod=mod": "-mod=mod -vet=off",
	} {
		t.Setenv("GOFLAGS", before)
		if Unvetted(); os.Getenv("GOFLAGS") != want {
			t.Errorf("GOFLAGS is %q, want %q", os.Getenv("GOFLAGS"), want)
		}
	}
}
