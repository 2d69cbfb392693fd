// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// A suppression is a line of the suppressions file that is neither empty nor a comment. It holds
// for a finding if each of its patterns matches one of the finding's texts.
type suppression struct {
	Pattern string // of several, with " && " between
	Used    bool   // it holds for a finding
	all     uint64 // a bit for each pattern
	matched uint64 // those that match a text of the finding at hand
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
		k := 0
		for rest := pattern; rest != ""; k++ {
			_, rest = cutPattern(rest)
		}
		Suppressions[n].all = 1<<min(k, maxPatterns) - 1
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

// maxPatterns is how many patterns of a line count; a line has no more than about ten.
const maxPatterns = 63

// cutPattern cuts the first pattern off a line.
func cutPattern(line string) (pattern, rest string) {
	const and = " && "
	for i := 0; i+len(and) <= len(line); i++ {
		if line[i:i+len(and)] == and {
			return trimmed(line[:i]), trimmed(line[i+len(and):])
		}
	}
	return line, ""
}

// trimmed is a text without spaces at its ends.
func trimmed(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// About begins with a finding, whose texts are then given to Suppressed: the first one is its kind,
// as "kind:data race". It reports what Suppressed does.
func About(kind string) (hit bool) {
	for i := range Suppressions {
		Suppressions[i].matched = 0
	}
	return Suppressed(kind)
}

// Suppressed matches some texts of a finding with the suppressions, marks those that hold for it as
// used, and reports whether one does that didn't before.
func Suppressed(texts ...string) (hit bool) {
	for i := range Suppressions {
		r := &Suppressions[i]
		k := 0
		for rest := r.Pattern; rest != "" && k < maxPatterns; k++ {
			pattern := rest
			if rest = ""; r.all != 1 {
				pattern, rest = cutPattern(pattern)
			}
			if r.matched&(1<<k) == 0 && matchAny(pattern, texts) {
				r.matched |= 1 << k
				if r.matched == r.all {
					hit, r.Used = true, true
				}
			}
		}
	}
	return hit
}

// matchAny reports whether one of some texts is as the pattern says.
func matchAny(pattern string, texts []string) bool {
	for _, s := range texts {
		if s != "" && match(pattern, s) {
			return true
		}
	}
	return false
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
