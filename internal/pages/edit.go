// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pages

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Width is the number of columns that a page has for output; Fold breaks longer lines.
const Width = 100

// Long is the edit that leaves a sample to long test runs.
const Long = "long"

// Numbers is the edit by which numbers are not compared, in output that counts events or bytes.
const Numbers = "numbers"

// edits are what may be left out of an output, by name. All leave whole lines out.
var edits = map[string]func(string) string{
	"no library":     noLibrary,
	"no origins":     noOrigins,
	"no calls":       noCalls,
	"after reports":  func(s string) string { _, after := reports(s); return after },
	"no test result": noTestResult,
	Long:             func(s string) string { return s },
	Numbers:          func(s string) string { return s },
}

// Edit leaves out of a command's output what a sample leaves out.
func Edit(out string, list []string) (string, error) {
	for _, name := range list {
		word, arg, _ := strings.Cut(name, " ")
		switch f := edits[name]; {
		case f != nil:
			out = f(out)
		case word == "report": // report N: the report of that number, alone
			n, err := strconv.Atoi(arg)
			all, _ := reports(out)
			if err != nil || n < 1 || n > len(all) {
				return "", fmt.Errorf("%s: there are %d reports in\n%s", name, len(all), out)
			}
			out = all[n-1]
		case word == "only": // only TEXT: the lines with the text
			out = lines(out, func(line string) bool { return strings.Contains(line, arg) })
		case word == "without": // without TEXT: the other lines
			out = lines(out, func(line string) bool { return !strings.Contains(line, arg) })
		case word == "from": // from TEXT: what begins with that line
			i := strings.Index("\n"+out, "\n"+arg)
			if i < 0 {
				return "", fmt.Errorf("%s: no such line in\n%s", name, out)
			}
			out = out[i:]
		default:
			return "", fmt.Errorf("there is no edit %q", name)
		}
	}
	return out, nil
}

func lines(s string, keep func(line string) bool) string {
	list := slices.Collect(strings.Lines(s))
	return strings.Join(slices.DeleteFunc(list, func(l string) bool { return !keep(l) }), "")
}

// reports splits output at the lines that are around reports.
func reports(s string) (list []string, after string) {
	parts := strings.Split(s, "==================\n")
	for i, part := range parts {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list, parts[len(parts)-1]
}

// A frame is two lines: the function, and the file and line.
var frame = regexp.MustCompile(`(?m)^  (\S.*\(\))\n      (\S+?):?\d*(?: \+0x[0-9a-f]+)?\n`)

// noLibrary leaves out the frames of Go's own code, whose files have absolute paths still.
func noLibrary(s string) string {
	return frame.ReplaceAllStringFunc(s, func(f string) string {
		if file := frame.FindStringSubmatch(f)[2]; filepath.IsAbs(file) {
			return ""
		}
		return f
	})
}

var origin = regexp.MustCompile(`^Goroutine \d+ .*created `)

// noOrigins leaves out the paragraphs that say where goroutines were started.
func noOrigins(s string) string {
	return paragraphs(s, func(p string) bool { return !origin.MatchString(p) })
}

// noCalls leaves out the paragraphs with frames.
func noCalls(s string) string {
	return paragraphs(s, func(p string) bool { return !frame.MatchString(p + "\n") })
}

func paragraphs(s string, keep func(string) bool) string {
	list := strings.Split(s, "\n\n")
	return strings.Join(slices.DeleteFunc(list, func(p string) bool { return !keep(p) }), "\n\n")
}

// noTestResult leaves out what package testing and the go command say.
func noTestResult(s string) string {
	return lines(s, func(line string) bool {
		return !strings.HasPrefix(line, "FAIL") && !strings.Contains(line, "--- FAIL") &&
			!strings.HasPrefix(line, "    commute: ") && !strings.Contains(line, "testing.go:")
	})
}

// further is how a line begins that goes on with the line before.
const further = "          "

// Fold breaks lines that are wider than a page.
func Fold(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		for len(line) > Width+1 {
			at := strings.LastIndexByte(line[:Width+1], ' ')
			if at <= len(further) {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = further + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

var folded = regexp.MustCompile(`([^\n]{50,})\n {10}(\S)`)

// Unfold undoes Fold.
func Unfold(s string) string {
	for folded.MatchString(s) {
		s = folded.ReplaceAllString(s, "$1 $2")
	}
	return s
}
