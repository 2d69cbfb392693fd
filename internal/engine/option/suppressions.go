// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// A suppression is a line of the suppressions file that is neither empty nor a comment.
type suppression struct {
	Pattern string
	Used    bool // it has matched
}

// Suppressions are the lines of Current.SuppressionText.
var Suppressions []suppression

// SplitSuppressions makes Suppressions of Current.SuppressionText.
func SplitSuppressions() {
	n := 0
	eachSuppression(func(string) { n++ })
	p := host.Alloc(unsafe.Sizeof(suppression{}) * uintptr(max(n, 1)))
	Suppressions = unsafe.Slice((*suppression)(p), n)
	n = 0
	eachSuppression(func(pattern string) {
		Suppressions[n] = suppression{Pattern: pattern}
		n++
	})
}

// eachSuppression calls f for the patterns in Current.SuppressionText.
func eachSuppression(f func(pattern string)) {
	var line string
	for rest := Current.SuppressionText; rest != ""; {
		line, rest = text.Cut(rest, '\n')
		line, _ = text.Cut(line, '#')
		for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			line = line[1:]
		}
		for len(line) > 0 &&
			(line[len(line)-1] == ' ' || line[len(line)-1] == '\t' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		if line != "" {
			f(line)
		}
	}
}

// Suppressed marks the suppressions that match one of some texts as used, and reports whether any
// does.
func Suppressed(texts ...string) (hit bool) {
	for i := range Suppressions {
		r := &Suppressions[i]
		for _, s := range texts {
			if s != "" && match(r.Pattern, s) {
				hit, r.Used = true, true
				break
			}
		}
	}
	return hit
}

// match reports whether s is as the pattern says, in which * stands for any text. A pattern matches
// anywhere in s unless it begins with ^ or ends with $.
//
// A star takes as little as it can, and only the last one that was met may have to take more. So
// the time is at most that of comparing all of the pattern at each place in s.
func match(pattern, s string) bool {
	last := -1 // where the pattern goes on after the last star
	if text.HasPrefix(pattern, "^") {
		pattern = pattern[1:]
	} else {
		last = 0
	}
	whole := pattern != "" && pattern[len(pattern)-1] == '$'
	if whole {
		pattern = pattern[:len(pattern)-1]
	}
	from := 0 // where the text that the star stands for ends in s
	for k, i := 0, 0; ; {
		switch {
		case k == len(pattern) && (!whole || i == len(s)):
			return true
		case k < len(pattern) && pattern[k] == '*':
			k++
			last, from = k, i
			continue
		case k < len(pattern) && i < len(s) && pattern[k] == s[i]:
			k++
			i++
			continue
		case last < 0 || from == len(s):
			return false
		}
		from++
		k, i = last, from
	}
}
