// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package option

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/text"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, s string
		want       bool
	}{
		{"cache", "main.cache.Get", true},
		{"cache", "main.Cache", false},
		{"^main.", "main.F", true},
		{"^main.", "example.com/main.F", false},
		{"Get$", "main.Get", true},
		{"Get$", "main.GetAll", false},
		{"^main.F$", "main.F", true},
		{"^main.F$", "main.F.func1", false},
		{"m*F", "main.F", true},
		{"m*F", "main.G", false},
		{"^a*c$", "abcbc", true},
		{"^a*b*c$", "axbxc", true},
		{"^a*b*c$", "axcxb", false},
		{"*", "", true},
		{"^$", "", true},
		{"^$", "a", false},
		{"$", "a", true},
		{"^", "a", true},
		{"", "a", true},
		{"a", "", false},
		{"$a", "x$a", true}, // not at the end: itself
		{"a$b", "a", false},
		{"a^", "xa^", true},
		{"**", "a", true},
		{"a.c", "abc", false},
	} {
		if got := match(test.pattern, test.s); got != test.want {
			t.Errorf("match(%q, %q) = %v", test.pattern, test.s, got)
		}
	}
}

func TestRules(t *testing.T) {
	forgetOptions(t)
	Current.SuppressionText = "\n  # a comment\n^main.F$  # why\r\n\t\n cache \nlast"
	SplitSuppressions()
	var got []string
	for _, r := range Suppressions {
		got = append(got, r.Pattern)
	}
	if want := "^main.F$,cache,last"; strings.Join(got, ",") != want {
		t.Errorf("rules %q, want %q", got, want)
	}
}

// matches is what match is to tell, by the definition: a star stands for any text.
func matches(pattern, s string) bool {
	if text.HasPrefix(pattern, "^") {
		return matchesHere(pattern[1:], s)
	}
	for i := range len(s) + 1 {
		if matchesHere(pattern, s[i:]) {
			return true
		}
	}
	return false
}

func matchesHere(pattern, s string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return s == ""
	case pattern[0] == '*':
		return matchesHere(pattern[1:], s) || s != "" && matchesHere(pattern, s[1:])
	}
	return s != "" && s[0] == pattern[0] && matchesHere(pattern[1:], s[1:])
}

// TestMatchAtRandom compares match with the definition.
func TestMatchAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(letters string, n int) string {
		b := make([]byte, r.IntN(n+1))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	yes := 0
	for range 200000 {
		pattern, s := random("aab*^$", 8), random("aab$^", 10)
		want := matches(pattern, s)
		if match(pattern, s) != want {
			t.Fatalf("match(%q, %q) is %v", pattern, s, !want)
		}
		if want {
			yes++
		}
	}
	if yes < 20000 || yes > 180000 {
		t.Errorf("%d of 200000 match", yes)
	}
}

// TestMatchManyStars has a pattern that takes for ever if each star tries all that it can stand
// for.
func TestMatchManyStars(t *testing.T) {
	s := strings.Repeat("a", 2000)
	for n := 1; n <= 64; n *= 2 {
		if match("^"+strings.Repeat("a*", n)+"b$", s) || match(strings.Repeat("*a", n)+"b", s) {
			t.Error("a pattern matches that ends with another letter")
		}
		if !match("^"+strings.Repeat("a*", n)+"a$", s) {
			t.Error("a pattern doesn't match")
		}
	}
}

// TestAbout has a line with two patterns, and findings of which each matches one: the line holds
// for none of them, but for one that matches both, in whatever order.
func TestAbout(t *testing.T) {
	defer Reset()
	Current.SuppressionText = "kind:data race && ^a$ && ^b$\n"
	SplitSuppressions()
	for _, f := range []struct {
		kind  string
		texts []string
		want  bool
	}{
		{"kind:data race", []string{"a"}, false},
		{"kind:data race", []string{"b"}, false},
		{"kind:deadlock", []string{"a", "b"}, false},
		{"kind:data race", []string{"b", "x", "a"}, true},
		{"kind:data race", []string{"b"}, false},
	} {
		hit := About(f.kind)
		for _, s := range f.texts {
			hit = Suppressed(s) || hit
		}
		if hit != f.want {
			t.Errorf("%s, %q: %v", f.kind, f.texts, hit)
		}
	}
}
