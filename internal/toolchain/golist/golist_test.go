// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct{ command, args, flags, words string }{
		{"test", "", "", "."},
		{"test", "./...", "", "./..."},
		{"test", "-run Foo", "", "."},
		{"test", "-run Foo ./a -v ./b -count=1", "", "./a ./b"},
		{"test", "-v -short -test.v -tags x,y --mod=vendor ./a", "-tags=x,y -mod=vendor", "./a"},
		{"test", "./a -args -tags x ./b", "", "./a"},
		{"build", "-o x.exe -trimpath -overlay o.json ./a", "-overlay=o.json", "./a"},
		{"run", "-tags x ./a b -tags y", "-tags=x", "./a"},
		{"run", "a.go b.go c d.go", "", "a.go b.go"},
		{"run", "a.go -tags x", "", "a.go"},
		{"run", "", "", "."},
	} {
		flags, words := split(test.command, strings.Fields(test.args))
		if got := strings.Join(flags, " "); got != test.flags {
			t.Errorf("%s %s: flags %s", test.command, test.args, got)
		}
		if got := strings.Join(words, " "); got != test.words {
			t.Errorf("%s %s: words %s", test.command, test.args, got)
		}
	}
}

// TestBoolean compares the table with what the go command says of its flags.
func TestBoolean(t *testing.T) {
	var found, values []string
	for _, topic := range []string{"build", "test", "testflag"} {
		out, err := exec.Command("go", "help", topic).Output()
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(out)) {
			flag, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t-")
			flag, _, takes := strings.Cut(flag, " ")
			if ok && takes {
				values = append(values, flag)
			} else if ok && flag != "args" {
				found = append(found, flag)
			}
		}
	}
	slices.Sort(found)
	if got := slices.Compact(found); !slices.Equal(got, boolean) {
		t.Errorf("the go command has\n%q\nthe table\n%q", got, boolean)
	}
	slices.Sort(values)
	if got := slices.Compact(values); !slices.Equal(got, valued) {
		t.Errorf("with values the go command has\n%q\nthe table\n%q", got, valued)
	}
}

func TestMatchPackage(t *testing.T) {
	p := Package{Dir: "/w/m/a/b", ImportPath: "example.com/m/a/b"}
	for pattern, want := range map[string]bool{
		"all": true, "std": false, ".": false, "./...": true, "./a/...": true, "./a/b": true,
		"./b": false, "../...": false,
		"example.com/m/a/b": true, "example.com/m/a/b/...": true, "example.com/m/a": false,
		"example.com/...":    true,
		"example.com/m/...b": true, "exampleXcom/...": false, "...": true,
	} {
		if got := p.match(pattern, "/w/m"); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if !p.match(".", "/w/m/a/b") || !p.match("../b", "/w/m/a/c") {
		t.Error("relative")
	}
	std := Package{Dir: "/go/src/net", ImportPath: "net", Standard: true}
	if !std.match("std", "/w") || !std.match("all", "/w") || std.match("./...", "/go/src") {
		t.Error("std")
	}
}

// TestArgsFor names other packages.
func TestArgsFor(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "a b",
		"./...":                      "a b",
		"-v -run . . ./x -count 2":   "-v -run . -count 2 a b",
		"-run=. . -args . -x":        "-run=. a b -args . -x",
		"-timeout 3s -failfast ./m":  "-timeout 3s -failfast a b",
		"-test.v -short -tags x,y .": "-test.v -short -tags x,y a b",
	} {
		b := &Build{Command: "test", Args: strings.Fields(args)}
		if got := strings.Join(b.ArgsFor([]string{"a", "b"}), " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
