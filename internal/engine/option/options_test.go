// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/option"
)

// forgetOptions has the options be what they are at the start, for the time of a test.
func forgetOptions(t *testing.T) {
	Reset()
	t.Cleanup(Reset)
}

func TestParse(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules")
	long := filepath.Join(dir, "long")
	if err := os.WriteFile(rules, []byte("^main.F$\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	manyRules := strings.Repeat("a rule of twenty-four by\n", 1<<13)
	if err := os.WriteFile(long, []byte(manyRules), 0o666); err != nil {
		t.Fatal(err)
	}
	type values struct {
		level Level
		exit  int32
		halt  bool
		stats bool
		strip string
		out   uintptr
		rules string
	}
	plain := values{level: Updates, exit: 66, out: 2}
	with := func(change func(*values)) values {
		v := plain
		change(&v)
		return v
	}
	for _, test := range []struct {
		text string
		want values
		warn string // a part of each warning, separated by |
	}{
		{"", plain, ""},
		{"   ", plain, ""},
		{"exitcode=3", with(func(v *values) { v.exit = 3 }), ""},
		{"exitcode=0", with(func(v *values) { v.exit = 0 }), ""},
		{"level=all  halt_on_error=1", with(func(v *values) { v.level, v.halt = All, true }), ""},
		{"level=violations", with(func(v *values) { v.level = Violations }), ""},
		{"level=all level=updates", plain, ""},
		{"halt_on_error=1 halt_on_error=0", plain, ""},
		{"strip_path_prefix=/home/a=b/", with(func(v *values) { v.strip = "/home/a=b/" }), ""},
		{"log_path=stdout", with(func(v *values) { v.out = 1 }), ""},
		{"log_path=stderr", plain, ""},
		{"log_path=/does/not/exist", plain, "cannot create /does/not/exist."},
		{"strip_path_prefix=/a%20b%2c/%", with(func(v *values) { v.strip = "/a b,/%" }), ""},
		{"suppressions=" + rules, with(func(v *values) { v.rules = "^main.F$\n" }), ""},
		{"suppressions=/does/not/exist", plain,
			"cannot read the suppressions file /does/not/exist"},
		{"suppressions=" + long, with(func(v *values) { v.rules = manyRules }), ""},
		{"suppressions=" + dir, plain, "cannot read the suppressions file "},
		{"level=most", plain, "level=most is no option"},
		{"level", plain, "level is no option"},
		{"=", plain, "= is no option"},
		{"Level=all", plain, "Level=all is no option"},
		{"halt_on_error=yes", plain, "halt_on_error=yes is no option"},
		{"exitcode=", plain, "exitcode= is no option"},
		{"exitcode=-1", plain, "exitcode=-1 is no option"},
		{"exitcode=1x", plain, "exitcode=1x is no option"},
		{"history_size=2", plain, "history_size=2 is no option"},
		{"atexit_sleep_ms=0", plain, ""},
		{"stats=1", with(func(v *values) { v.stats = true }), ""},
		{"stats=", plain, "stats= is no option"},
		{"atexit_sleep_ms=x", plain, "atexit_sleep_ms=x is no option"},
		{"a=1 level=all b=2", with(func(v *values) { v.level = All }), "a=1 is|b=2 is"},
	} {
		forgetOptions(t)
		got := capture.Stderr(t, func() { Parse(test.text) })
		o := values{Current.Level, Current.Exit, Current.Halt, Current.Stats, Current.Strip,
			Current.Out, Current.SuppressionText}
		if o != test.want {
			t.Errorf("%q: %+v, want %+v", test.text, o, test.want)
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		for i, want := range strings.Split(test.warn, "|") {
			if i >= len(lines) || !strings.Contains(lines[i], want) || (want == "") != (got == "") {
				t.Errorf("%q: warnings %q, want %q", test.text, got, test.warn)
			}
		}
	}
}

// TestTable has the table of package option, by which a command checks the variable before a build:
// what the one takes the other does too.
func TestTable(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rules, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	values := []string{"", "0", "1", "2", "255", "256", "-1", "+1", "1x", "999999999999",
		"16777216", "16777217", "all", "races", "updates", "violations", "most",
		"stdout", "stderr", rules, "a%20b", "%zz", "%", "=", "a=b"}
	names := append(option.Names(), "", "nosuch", "Level")
	for _, name := range names {
		for _, value := range values {
			if o := option.Find(name); o != nil && o.Kind == option.File && value != rules &&
				value != "" {
				continue // what is not there
			}
			word := name + "=" + value
			forgetOptions(t)
			got := capture.Stderr(t, func() { Parse(word) })
			_, err := option.Parse(word)
			if refused := strings.Contains(got, "is no option"); refused != (err != nil) {
				t.Errorf("%s: the engine says %q, the table %v", word, got, err)
			}
		}
	}
	for _, s := range []string{"", "x", "%", "%2", "%20", "a%20b%25", "%%20", "%zz%41", "é%c3%a9"} {
		if got, want := text.Unescape(s), option.Unescape(s); got != want {
			t.Errorf("%q: %q, the table %q", s, got, want)
		}
	}
}

// A choice is the options whose values are numbers or words.
type choice struct {
	level Level
	exit  int32
	halt  bool
	out   uintptr
	stats bool
	sleep int
}

func chosen() choice {
	return choice{Current.Level, Current.Exit, Current.Halt, Current.Out, Current.Stats,
		Current.Sleep}
}

// initial are those of a program for which nothing is said.
var initial = chosen()

// TestDefaults has the values that the table calls defaults: they are those of a program for which
// nothing is said.
func TestDefaults(t *testing.T) {
	n := 0
	for _, o := range option.Table {
		if o.Default == "" {
			continue
		}
		n++
		forgetOptions(t)
		if text := capture.Stderr(t, func() { Parse(o.Name + "=" + o.Default) }); text != "" {
			t.Errorf("%s=%s: %s", o.Name, o.Default, text)
		}
		if now := chosen(); now != initial {
			t.Errorf("the table says that %s is the default of %s: %+v, but it is %+v", o.Default,
				o.Name, now, initial)
		}
	}
	if n < 6 {
		t.Errorf("%d options have defaults", n)
	}
}

// TestExitcodeTooLarge has a status that the system doesn't have: it is named, and not taken.
func TestExitcodeTooLarge(t *testing.T) {
	forgetOptions(t)
	got := capture.Stderr(t, func() { Parse("exitcode=256") })
	if !strings.Contains(got, "exitcode=256 is no option") ||
		!strings.Contains(got, "it is ignored") {
		t.Errorf("warning %q", got)
	}
	if Current.Exit != 66 {
		t.Errorf("exit status %d", Current.Exit)
	}
}

func TestReadyReadsOnce(t *testing.T) {
	forgetOptions(t)
	Current.once.Store(0)
	t.Setenv("COMMUTE", "level=all")
	Ready()
	t.Setenv("COMMUTE", "level=violations")
	Ready()
	if Current.Level != All {
		t.Errorf("level %v", Current.Level)
	}
}
