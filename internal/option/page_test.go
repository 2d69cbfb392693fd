// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables into docs/options.md")

const page = "../../docs/options.md"

// TestPage holds the tables of docs/options.md against the tables here.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := Page(string(text))
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not as the table has it (go test ./internal/option -run Page -update)",
			page)
	}
	if n := len(tables.FindAllString(want, -1)); n < 8 {
		t.Errorf("%d tables", n)
	}
	for _, f := range Flags {
		row := "\n| `" + strings.TrimSpace("-"+f.Name+" "+f.Value) + "` |"
		if !strings.Contains(want, row) {
			t.Errorf("%s has no row for -%s of %s", page, f.Name, f.Commands)
		}
	}
}

// TestFlags has each name once for each command, and a need wherever an error may ask for it.
func TestFlags(t *testing.T) {
	for _, f := range Flags {
		for _, c := range f.Commands {
			names := NamesOf(c)
			if slices.Index(names, f.Name) != len(names)-1-slices.Index(reversed(names), f.Name) {
				t.Errorf("%s has two flags -%s", c, f.Name)
			}
			if c == "test" && f.Value != "" && f.Need == "" {
				t.Errorf("-%s of test doesn't say what it needs", f.Name)
			}
		}
		if !strings.ContainsRune(".:)", rune(f.Help[len(f.Help)-1])) {
			t.Errorf("-%s: %q has no end", f.Name, f.Help)
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestEntry has a text in backquotes wrapped for a terminal.
func TestEntry(t *testing.T) {
	got := entry("-x N", "1", "take `all` of `//commute:atomic`, "+strings.Repeat("and ", 20)+"on.")
	want := "\t-x N  (default 1)\n\t\ttake \"all\" of //commute:atomic, " +
		"and and and and and and and and and and and and\n\t\tand and and and and and and and on.\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for line := range strings.Lines(FlagHelp(nil, "test")) {
		if len(strings.TrimSpace(line)) > helpWidth {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
