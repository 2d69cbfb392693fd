// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"regexp"
	"slices"
	"strings"
)

// failureKey says in what way a test has failed: two runs whose outputs have the same key have
// failed in the same way. It is the first report of commute, of what was observed if there is any,
// or the panic, or else the tests that have failed, with the first line that one of them has
// logged. Values don't count, places do. A test that has waited for ever is told from another one
// by what its goroutines wait for.
func failureKey(test string, output []byte) string {
	for _, r := range Reports(output) {
		if r.Evidence == observed {
			_, rest, _ := strings.Cut(string(r.Text), "\n")
			kind, rest, _ := strings.Cut(rest, "\n")
			headline, _, _ := strings.Cut(rest, "\n")
			return general(kind + "\n" + headline)
		}
	}
	lines := strings.Split(string(output), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "WARNING: ") && i+1 < len(lines):
			return general(line + "\n" + lines[i+1])
		case strings.HasPrefix(line, "panic: test timed out after "),
			line == "fatal error: all goroutines are asleep - deadlock!":
			return "waits for ever" + waits(lines[i:])
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			return general(line)
		}
	}
	var names []string
	first := ""
	for _, line := range lines {
		text := strings.TrimLeft(line, " ")
		switch name, ok := strings.CutPrefix(text, "--- FAIL: "); {
		case ok:
			name, _, _ = strings.Cut(name, " (")
			names = append(names, name)
		case len(names) > 0 && first == "" && len(text) < len(line):
			first = general(text)
		}
	}
	if len(names) == 0 {
		return test + " ends"
	}
	slices.Sort(names)
	return strings.Join(names, " ") + "\n" + first
}

var numbers = regexp.MustCompile(`\.go:\d+|0x[0-9a-f]+|\d+`)

// general is a line without its values: each number is one, but for those of lines.
func general(line string) string {
	return numbers.ReplaceAllStringFunc(line, func(n string) string {
		if strings.HasPrefix(n, ".go:") {
			return n
		}
		return "0"
	})
}

var waiting = regexp.MustCompile(`^goroutine \d+ \[([^],]+)[],]`)

// waits are what goroutines wait for, each once, in order.
func waits(lines []string) (text string) {
	var list []string
	for _, line := range lines {
		if m := waiting.FindStringSubmatch(line); m != nil {
			list = append(list, m[1])
		}
	}
	slices.Sort(list)
	return " [" + strings.Join(slices.Compact(list), ", ") + "]"
}
