// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"  level=all   halt_on_error=1":   "",
		"exitcode=0 exitcode=255 stats=0": "",
		"log_path=/a%20b/rep":             "",
		"strip_path_prefix=":              "",
		"strip_path_prefix=a=b":           "",
		"atexit_sleep_ms=0":               "",
		"nosuch=1": "COMMUTE: there is no option nosuch (commute help " +
			"options lists them; in a value, %20 is a space)",
		"supressions=x": "COMMUTE: there is no option supressions (did you " +
			"mean suppressions?)",
		"level=violation": "COMMUTE: level=violation: want violations, updates, races or " +
			"all (did you mean violations?)",
		"level":        "COMMUTE: level: want violations, updates, races or all",
		"exitcode=256": "COMMUTE: exitcode=256: want a number from 0 to 255",
		"exitcode=-1":  "COMMUTE: exitcode=-1: want a number from 0 to 255",
		"trace_last_mb=0": "COMMUTE: trace_last_mb=0: want a number from 1 to " +
			"16777216",
		"halt_on_error=yes stats=": "COMMUTE: halt_on_error=yes: want 0 or 1\nCOMMUTE: " +
			"stats=: want 0 or 1",
		"log_path=": "COMMUTE: log_path=: want a path",
	} {
		_, err := Parse(text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestEscape(t *testing.T) {
	for value, want := range map[string]string{"": "", "/a/b": "/a/b", "/a b": "/a%20b",
		"50%": "50%25", "%20": "%2520", "a\tb\n": "a%09b%0A", "é": "é"} {
		if got := Escape(value); got != want || Unescape(got) != value {
			t.Errorf("%q: %q, back %q", value, got, Unescape(got))
		}
	}
	for text, want := range map[string]string{"%": "%", "%2": "%2", "%zz": "%zz", "%2f": "/",
		"%2F%": "/%"} {
		if got := Unescape(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a b%20")
	f.Fuzz(func(t *testing.T, value string) {
		text := Escape(value)
		if strings.Contains(text, " ") || Unescape(text) != value {
			t.Errorf("%q: %q", value, text)
		}
		list, err := Parse("strip_path_prefix=" + text)
		if err != nil || list[0].Value != value || String(list) != "strip_path_prefix="+text {
			t.Errorf("%q: %v, %v", value, list, err)
		}
	})
}

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("rules", "a\n")
	list := []Setting{{"suppressions", "rules"}, {"log_path", "rep"}, {"log_path", "stdout"},
		{"trace", "/t"}, {"strip_path_prefix", "x"}}
	got, before, err := Resolve(list, dir)
	want := []string{filepath.Join(dir, "rules"), filepath.Join(dir, "rep"), "stdout", "/t", "x"}
	for i := range want {
		if err != nil || got[i].Value != want[i] {
			t.Errorf("%v: %v, %v", list[i], got[i], err)
		}
	}
	write("rules", "b\n")
	if _, after, _ := Resolve(list, dir); after == before || after == "" {
		t.Errorf("hash %q, before the change %q", after, before)
	}
	write("long", strings.Repeat("x", 1<<20))
	_, _, err = Resolve([]Setting{{"suppressions", "none"}, {"suppressions", "long"}}, dir)
	if err == nil || err.Error() != "suppressions=none: no such file" {
		t.Errorf("error %v", err)
	}
	if _, rules, err := Resolve(nil, dir); rules != "" || err != nil {
		t.Errorf("%q, %v", rules, err)
	}
}
