// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"fmt"
	"time"
)

// dots are the times of some checks on one trace, in seconds. Checks in over were ended after that
// time.
type dots struct {
	name   string
	values []float64
	over   []bool
}

func newDots(name string, results ...result) dots {
	d := dots{name: name}
	for _, r := range results {
		d.values = append(d.values, max(r.took, time.Millisecond).Seconds())
		d.over = append(d.over, r.timeout)
	}
	return d
}

// plotDots is a picture with a line for each trace, and a dot for each check, on a logarithmic
// scale.
func plotDots(title string, names []string, rows []dots) []byte {
	const width, left, right, top, bottom, line = 760, 130, 30, 16, 46, 24
	least, most := 1.0, 0.01
	for _, d := range rows {
		for _, v := range d.values {
			least, most = min(least, v), max(most, v)
		}
	}
	at, marks := logScale(least, most, left, width-right)
	legend := 18*len(names) + 10
	height := top + legend + line*len(rows) + bottom
	floor := float64(height - bottom)
	c := newCanvas(width, height)
	c.legend(left, top, names)
	for _, m := range marks {
		c.line(at(m), float64(top+legend), at(m), floor, "#dddddd")
		c.text(at(m), floor+17, "middle", short(m))
	}
	c.line(left, floor, width-right, floor, "black")
	c.text((left+width-right)/2, floor+36, "middle", title)
	for i, d := range rows {
		y := float64(top+legend+i*line) + line/2
		c.text(left-10, y+4, "end", d.name)
		from, to := d.values[0], d.values[0]
		for _, v := range d.values {
			from, to = min(from, v), max(to, v)
		}
		c.line(at(from), y, at(to), y, "#999999")
		for j, v := range d.values {
			c.dot(at(v), y, colour(j), d.over[j])
		}
	}
	return c.end()
}

// dot is a full or hollow one.
func (c *canvas) dot(x, y float64, colour string, hollow bool) {
	fill := colour
	if hollow {
		fill = "white"
	}
	fmt.Fprintf(c,
		`<circle cx="%.1f" cy="%.1f" r="5" fill="%s" stroke="%s" stroke-width="1.5"/>`+"\n",
		x, y, fill, colour)
}
