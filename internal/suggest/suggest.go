// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package suggest finds the word that was meant by a misspelt one.
//
// Input: a word and the words that there are. Output: the nearest of them, by the number of letters
// to insert, delete or replace, or of neighbours to swap (optimal string alignment; Damerau, CACM
// 1964).
package suggest

// Nearest is the candidate that differs the least from name, "" if each differs in half of its
// letters or more. The first of several counts.
func Nearest(name string, candidates []string) string {
	return Within(name, candidates, len(name)/2)
}

// Typo is the candidate that name may be a misspelling of, "" if there is none. A word of four or
// five letters may have one mistake, and a longer one two.
func Typo(name string, candidates []string) string {
	return Within(name, candidates, Allowed(name))
}

// Allowed is the number of mistakes for which a word is taken for a misspelling.
func Allowed(name string) int {
	switch n := len(name); {
	case n < 4:
		return 0
	case n < 6:
		return 1
	}
	return 2
}

// Within is the candidate with the least distance from name, "" if all have more than limit.
func Within(name string, candidates []string, limit int) string {
	best := ""
	for _, c := range candidates {
		if d := Distance(name, c); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// Distance is the number of bytes to insert, delete or replace, and of neighbours to swap, to make
// b of a. No part is changed twice.
func Distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			d := above[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, above[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
	}
	return row[len(b)]
}
