// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"

	"github.com/commutego/commute/internal/trace/generate"
)

// lengthCurves are what time is plotted of against length: checks on a shape, up to a part of the
// events that a trace may have.
var lengthCurves = []struct {
	shape, plot string
	part        uint64
	checks      []string
}{
	{"locked", "length", 1, []string{"frontier", "aerodrome", "velodrome", "fasttrack"}},
	// Velodrome's time grows with the square
	{"long", "length-long", 4, []string{"frontier", "aerodrome", "velodrome"}},
}

// lengths is time against the number of events, with a straight line through it.
func (o *Options) lengths(w io.Writer) error {
	fmt.Fprint(w, "## Time against length\n\nSeconds of processor time, and peak memory, from the "+
		"binary format. On shape long, Velodrome's graph grows with the trace.\n\n")
	for _, c := range lengthCurves {
		points, err := o.curves(w, c.shape, o.Events/c.part, c.checks)
		if err != nil {
			return err
		}
		if err := o.picture(w, c.plot, "Time against length, shape "+c.shape, func() []byte {
			return plotCurves("events", "seconds", c.checks, points)
		}); err != nil {
			return err
		}
	}
	return nil
}

// curves measures checks on ten lengths of a shape, and writes a table and the lines through it.
func (o *Options) curves(w io.Writer, shape string,
	most uint64, checks []string) ([][]point, error) {
	points := make([][]point, len(checks))
	header(w, append([]string{"events, shape " + shape}, checks...)...)
	for tenth := uint64(1); tenth <= 10; tenth++ {
		n := most * tenth / 10
		file, err := o.gen(generate.Params{Shape: shape, Events: n}, "trace")
		if err != nil {
			return nil, err
		}
		cells := []string{short(float64(n))}
		for i, check := range checks {
			r, err := o.analyze(check, file, false)
			if err != nil {
				return nil, err
			}
			if r.timeout {
				cells = append(cells, "TO")
				continue
			}
			points[i] = append(points[i], point{float64(n), r.took.Seconds()})
			cells = append(cells, r.seconds()+", "+r.memory())
		}
		row(w, cells...)
	}
	fmt.Fprint(w, "\nThe straight line of least squares, and how much of the variance it "+
		"explains:\n\n")
	for i, check := range checks {
		slope, r2 := fit(points[i])
		fmt.Fprintf(w, "- %s: %.1f ns an event, R² %.4f\n", check, slope*1e9, r2)
	}
	fmt.Fprintln(w)
	return points, nil
}
