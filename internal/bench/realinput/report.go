// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A report is the table, a row for every package.
type report struct {
	builds []build
	rows   []row
	failed int // targets that could not be prepared
}

type row struct {
	pkg      pkg
	outcomes []outcome // in the order of the builds
}

func newReport(builds []build) *report { return &report{builds: builds} }

// add runs the package's tests with each build and prints the outcome at once.
func (r *report) add(p pkg, builds []build) {
	fmt.Fprintf(os.Stderr, "%s:", p.path)
	row := row{pkg: p}
	for _, b := range builds {
		o := b.run(p)
		row.outcomes = append(row.outcomes, o)
		fmt.Fprintf(os.Stderr, " %s %s %.1fs", b.name, o.verdict, o.elapsed.Seconds())
	}
	fmt.Fprintln(os.Stderr)
	r.rows = append(r.rows, row)
}

// print writes the table; the ratios are to the first build. Below it stand the tests that failed
// only when watched.
func (r *report) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprint(w, "package")
	for _, b := range r.builds {
		fmt.Fprintf(w, "\t%s\treports\ttime\tpeak", b.name)
		if b.name == "atomic" {
			fmt.Fprint(w, "\ttransactions\tconflicts")
		}
	}
	fmt.Fprintln(w)
	for _, row := range r.rows {
		fmt.Fprint(w, row.pkg.path)
		for i, o := range row.outcomes {
			base := row.outcomes[0]
			fmt.Fprintf(w, "\t%s\t%d\t%.2fs", o.verdict, o.reports, o.elapsed.Seconds())
			if i > 0 {
				fmt.Fprint(w, ratio(float64(o.elapsed), float64(base.elapsed)))
			}
			fmt.Fprintf(w, "\t%dMB", o.peak>>20)
			if i > 0 {
				fmt.Fprint(w, ratio(float64(o.peak), float64(base.peak)))
			}
			if r.builds[i].name == "atomic" {
				fmt.Fprintf(w, "\t%d\t%d", o.totals[0], o.totals[1])
			}
		}
		fmt.Fprintln(w)
	}
	r.printSum(w)
	_ = w.Flush()
	r.printDifferences()
}

// printSum writes the last row: packages that passed, all reports, all time.
func (r *report) printSum(w *tabwriter.Writer) {
	fmt.Fprint(w, "all")
	for i := range r.builds {
		passed, reports, elapsed, totals := 0, 0, time.Duration(0), [2]int{}
		var largest int64
		for _, row := range r.rows {
			o := row.outcomes[i]
			if o.verdict == "ok" {
				passed++
			}
			reports += o.reports
			totals[0] += o.totals[0]
			totals[1] += o.totals[1]
			elapsed += o.elapsed
			largest = max(largest, o.peak)
		}
		fmt.Fprintf(w, "\t%d of %d ok\t%d\t%.2fs\t%dMB", passed, len(r.rows), reports,
			elapsed.Seconds(), largest>>20)
		if r.builds[i].name == "atomic" {
			fmt.Fprintf(w, "\t%d\t%d", totals[0], totals[1])
		}
	}
	fmt.Fprintln(w)
}

// printDifferences lists the tests that fail watched, and pass unwatched.
func (r *report) printDifferences() {
	for i, b := range r.builds[1:] {
		for _, row := range r.rows {
			var added []string
			for name := range row.outcomes[i+1].failed {
				if !row.outcomes[0].failed[name] {
					added = append(added, name)
				}
			}
			slices.Sort(added)
			if len(added) > 0 {
				fmt.Printf("%s fails only with %s: %s\n", row.pkg.path, b.name,
					strings.Join(added, " "))
			}
		}
	}
}

func ratio(x, base float64) string {
	if x == 0 || base == 0 {
		return ""
	}
	return fmt.Sprintf(" %.2fx", x/base)
}
