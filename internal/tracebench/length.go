// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"io"

	"github.com/commutego/commute/trace/generate"
)

// lengthCurves are what time is plotted of against length: checks on a shape.
var lengthCurves = []struct{ check, shape string }{
	{"frontier", "locked"}, {"aerodrome", "locked"}, {"velodrome", "locked"}, {"fasttrack", "locked"},
	{"frontier", "long"}, {"aerodrome", "long"}, {"velodrome", "long"},
}

// lengths is time against the number of events, with a straight line through it.
func (o *Options) lengths(w io.Writer) error {
	fmt.Fprint(w, "## Time against length\n\nSeconds of processor time, and peak memory, from the binary format. On shape long, Velodrome's graph grows.\n\n")
	names, points := make([]string, len(lengthCurves)), make([][]point, len(lengthCurves))
	for i, c := range lengthCurves {
		names[i] = c.check + ", " + c.shape
	}
	header(w, append([]string{"events"}, names...)...)
	for tenth := uint64(1); tenth <= 10; tenth++ {
		n := o.Events * tenth / 10
		cells := []string{short(float64(n))}
		for i, c := range lengthCurves {
			file, err := o.gen(generate.Params{Shape: c.shape, Events: n}, "trace")
			if err != nil {
				return err
			}
			r, err := o.analyze(c.check, file, false)
			if err != nil {
				return err
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
	fmt.Fprint(w, "\nThe straight line of least squares, and how much of the variance it explains:\n\n")
	for i, name := range names {
		slope, r2 := fit(points[i])
		fmt.Fprintf(w, "- %s: %.1f ns an event, R² %.4f\n", name, slope*1e9, r2)
	}
	fmt.Fprintln(w)
	const locked = 4 // curves of that shape
	if err := o.picture(w, "length", "Time against length, shape locked", func() []byte {
		return plotCurves("events", "seconds", names[:locked], points[:locked])
	}); err != nil {
		return err
	}
	return o.picture(w, "length-long", "Time against length, shape long", func() []byte {
		return plotCurves("events", "seconds", names[locked:], points[locked:])
	})
}
