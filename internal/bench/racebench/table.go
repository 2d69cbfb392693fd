// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/commutego/commute/internal/bench/measure"
)

// A table has one kind of number, of every benchmark, round and build.
type table struct {
	title   string
	builds  []build
	least   bool // the least of the rounds stands for all of them, and not the median
	format  func(float64) string
	order   []string                        // the benchmarks
	numbers map[string][]map[string]float64 // by benchmark, round and build; 0: not measured
}

func newTable(title string, builds []build, format func(float64) string) *table {
	return &table{title: title, builds: builds, format: format,
		numbers: make(map[string][]map[string]float64)}
}

func (t *table) add(benchmark string, round int, build string, number float64) {
	if t.numbers[benchmark] == nil {
		t.order = append(t.order, benchmark)
	}
	for len(t.numbers[benchmark]) <= round {
		t.numbers[benchmark] = append(t.numbers[benchmark], make(map[string]float64))
	}
	t.numbers[benchmark][round][build] = number
}

// A comparison is a column: a build's ratios to another.
type comparison struct{ build, base string }

// comparisons are those of every build to the first, and of the builds that look for data races to
// the race detector.
func comparisons(builds []build) []comparison {
	var all []comparison
	for _, b := range builds[1:] {
		all = append(all, comparison{b.name, builds[0].name})
	}
	hasRace := slices.ContainsFunc(builds, func(b build) bool { return b.name == "race" })
	for _, b := range builds {
		c := comparison{b.name, "race"}
		if hasRace && strings.HasPrefix(b.name, "datarace") && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// ratio is the median of the rounds' ratios, or the ratio of the least numbers. It is 0 if no round
// has both numbers.
func (t *table) ratio(benchmark string, c comparison) float64 {
	if t.least {
		x, y := t.number(benchmark, c.build), t.number(benchmark, c.base)
		if y == 0 {
			return 0
		}
		return x / y
	}
	var ratios []float64
	for _, round := range t.numbers[benchmark] {
		if x, y := round[c.build], round[c.base]; x > 0 && y > 0 {
			ratios = append(ratios, x/y)
		}
	}
	return measure.Median(ratios)
}

// number is a build's median, or its least number, and 0 if there is none.
func (t *table) number(benchmark, build string) float64 {
	var numbers []float64
	for _, round := range t.numbers[benchmark] {
		if x := round[build]; x > 0 {
			numbers = append(numbers, x)
		}
	}
	if t.least && len(numbers) > 0 {
		return slices.Min(numbers)
	}
	return measure.Median(numbers)
}

// print prints a row for each benchmark, and the geometric means of the ratios.
func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	base := t.builds[0].name
	columns := comparisons(t.builds)
	fmt.Fprintf(w, "%s\t%s\t", t.title, base)
	for _, c := range columns {
		fmt.Fprintf(w, "%s/%s\t", c.build, c.base)
	}
	fmt.Fprintln(w)
	ratios := make(map[comparison][]float64)
	for _, name := range t.order {
		fmt.Fprintf(w, "%s\t%s\t", name, t.format(t.number(name, base)))
		for _, c := range columns {
			r := t.ratio(name, c)
			if r > 0 {
				ratios[c] = append(ratios[c], r)
			}
			fmt.Fprintf(w, "%s\t", times(r))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "geometric mean\t\t")
	for _, c := range columns {
		fmt.Fprint(w, times(measure.GeometricMean(ratios[c])))
		if n := len(ratios[c]); n < len(t.order) {
			fmt.Fprintf(w, " of %d", n)
		}
		fmt.Fprint(w, "\t")
	}
	fmt.Fprintln(w)
	_ = w.Flush()
}

// times prints a ratio, and a dash for nothing measured.
func times(ratio float64) string {
	if ratio == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", ratio)
}

func megabytes(bytes float64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f MB", bytes/(1<<20))
}

// duration prints three digits.
func duration(ns float64) string {
	if ns == 0 {
		return "-"
	}
	units := []struct {
		name string
		ns   float64
	}{{"s", float64(time.Second)}, {"ms", float64(time.Millisecond)},
		{"µs", float64(time.Microsecond)}}
	for _, u := range units {
		if ns >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}
