// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"bytes"
	"fmt"
)

// A point is a number of events and a time in seconds.
type point struct{ x, y float64 }

// fit is the slope of the least squares line through some points, and how much of their variance it explains.
func fit(points []point) (slope, r2 float64) {
	var n, sx, sy, sxx, sxy, syy float64
	for _, p := range points {
		n++
		sx += p.x
		sy += p.y
		sxx += p.x * p.x
		sxy += p.x * p.y
		syy += p.y * p.y
	}
	vx, vy, c := n*sxx-sx*sx, n*syy-sy*sy, n*sxy-sx*sy
	if vx == 0 || vy == 0 {
		return 0, 0
	}
	return c / vx, c * c / (vx * vy)
}

// colours are those of the curves; they can be told apart by those who don't see red and green.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7"}

// plot is a picture of some curves, time against events.
func plot(names []string, curves [][]point) []byte {
	const width, height, left, bottom = 720, 440, 70, 50
	var most point
	for _, c := range curves {
		for _, p := range c {
			most.x, most.y = max(most.x, p.x), max(most.y, p.y)
		}
	}
	most.x, most.y = max(most.x, 1), max(most.y, 1e-3)
	at := func(p point) (x, y float64) {
		return left + p.x/most.x*(width-left-20), height - bottom - p.y/most.y*(height-bottom-20)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	for i := range 5 {
		x, y := at(point{most.x * float64(i+1) / 5, most.y * float64(i+1) / 5})
		fmt.Fprintf(&b, `<text x="%.0f" y="%d" text-anchor="middle">%.3g</text>`+"\n", x, height-bottom+18, most.x*float64(i+1)/5)
		fmt.Fprintf(&b, `<text x="%d" y="%.0f" text-anchor="end">%.3g</text>`+"\n", left-6, y+4, most.y*float64(i+1)/5)
		fmt.Fprintf(&b, `<path d="M%d %.0fH%d" stroke="#dddddd"/>`+"\n", left, y, width-20)
	}
	fmt.Fprintf(&b, `<path d="M%d 20V%dH%d" fill="none" stroke="black"/>`+"\n", left, height-bottom, width-20)
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">events</text>`+"\n", (left+width)/2, height-12)
	fmt.Fprintf(&b, `<text x="16" y="%d" text-anchor="middle" transform="rotate(-90 16 %d)">seconds</text>`+"\n", height/2, height/2)
	for i, c := range curves {
		colour := colours[i%len(colours)]
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="`, colour)
		for _, p := range c {
			x, y := at(p)
			fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
		}
		b.WriteString(`"/>` + "\n")
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", left+14, 36+16*i, colour, names[i])
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
