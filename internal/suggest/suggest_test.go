// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package suggest

import (
	"math/rand/v2"
	"testing"
)

// slow is Distance by its definition: the least over all ways to treat the ends of two words.
func slow(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	d := slow(a[:i], b[:j])
	if a[i] != b[j] {
		d++
	}
	d = min(d, slow(a[:i], b)+1, slow(a, b[:j])+1)
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		d = min(d, slow(a[:i-1], b[:j-1])+1)
	}
	return d
}

func TestDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, random.IntN(7))
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	for range 3000 {
		a, b := word(), word()
		if got, want := Distance(a, b), slow(a, b); got != want {
			t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
		}
	}
}

func TestTypo(t *testing.T) {
	words := []string{"datarace", "spec", "stats", "race", "v"}
	for word, want := range map[string]string{
		"datraace": "datarace",
		"datarcae": "datarace",
		"data":     "",
		"racee":    "race",
		"rac":      "",
		"w":        "",
		"spce":     "spec",
		"spe":      "",
		"states":   "stats",
		"database": "datarace",
		"dtabases": "",
	} {
		if got := Typo(word, words); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"tset": "test", "Pus": "Push", "comute": "commute", "typ": "type", "nonsense": "", "": "",
		"Len": "", "xyz": "",
	} {
		if got := Nearest(word, []string{"test", "Push", "Store", "type", "commute"}); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
