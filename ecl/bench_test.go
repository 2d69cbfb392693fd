// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"strings"
	"testing"
)

// large is a spec of n methods with a formula for every pair: a key, and four
// conditions of each call that are valued separately.
func large(n int) string {
	var b strings.Builder
	call := func(m, c int) string { return fmt.Sprintf("M%d(k%d, v%d)/(p%d, ok%d)", m, c, c, c, c) }
	conds := []string{"ok%d", "v%d == p%d", "p%d == nil", "v%d == nil"}
	for i := range n {
		for j := i; j < n; j++ {
			var f [2]string
			for c := range f {
				x := strings.ReplaceAll(conds[(i+j)%4], "%d", fmt.Sprint(c+1))
				y := strings.ReplaceAll(conds[(i+j+1)%4], "%d", fmt.Sprint(c+1))
				f[c] = fmt.Sprintf("(%s || !(%s))", x, y)
			}
			fmt.Fprintf(&b, "//ecl:commute %s, %s: k1 != k2 || %s && %s\n", call(i, 1), call(j, 2),
				f[0], f[1])
		}
	}
	return b.String()
}

// BenchmarkParse30 reads a spec of 30 methods, 465 pairs.
func BenchmarkParse30(b *testing.B) {
	text := large(30)
	for b.Loop() {
		if _, err := Parse("f.ecl", 1, 1, text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompile30 translates it.
func BenchmarkCompile30(b *testing.B) {
	s := parse1(b, large(30))
	points := 0
	for b.Loop() {
		t, err := Compile(s)
		if err != nil {
			b.Fatal(err)
		}
		points = len(t.Points)
	}
	b.ReportMetric(float64(points), "points")
}
