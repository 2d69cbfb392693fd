// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	// messageNumbers are those in messages, by which two of the same kind may differ.
	messageNumbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)
	// logged begins a line of a test's log: a place in a file.
	logged = regexp.MustCompile(`^\s+(\S+\.go:\d+): `)
	// frame is a place in a stack.
	frame = regexp.MustCompile(`^\s+(\S*?([^/\s]+\.go:\d+))\b`)
)

// distinctKey tells failures of one test apart, by what the process has printed: by the kind and the
// first places of a finding; the message of a panic and where it is; else by the first place in the
// test's log.
func distinctKey(output []byte) string {
	var lines []string
	for line := range bytes.Lines(output) {
		lines = append(lines, strings.TrimRight(string(line), "\n"))
	}
	for i, line := range lines {
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "WARNING: "):
			return text + strings.Join(places(lines[i+1:], 2), " ")
		case strings.HasPrefix(text, "panic: test timed out after "):
			return "timeout"
		case strings.HasPrefix(text, "panic: "), strings.HasPrefix(text, "fatal error: "):
			text, _, _ = strings.Cut(text, " [recovered")
			return messageNumbers.ReplaceAllString(text, "0") + strings.Join(places(lines[i+1:], 1), " ")
		}
	}
	for _, line := range lines {
		if m := logged.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return ""
}

// places are the first places of stacks, but for those of package runtime and testing.
func places(lines []string, most int) (list []string) {
	for _, line := range lines {
		m := frame.FindStringSubmatch(line)
		if m == nil || strings.Contains(m[1], "/src/runtime/") ||
			strings.Contains(m[1], "/src/testing/") {
			continue
		}
		if list = append(list, m[2]); len(list) == most {
			break
		}
	}
	return list
}
