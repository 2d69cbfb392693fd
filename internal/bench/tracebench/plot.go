// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import "fmt"

// A point is a number of events and a time in seconds.
type point struct{ x, y float64 }

// fit is the slope of the least squares line through some points, and how much of their variance it
// explains.
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

// plotCurves is a picture of some curves, with a mark at each point.
func plotCurves(xs, ys string, names []string, curves [][]point) []byte {
	const width, height, left, right, top, bottom = 760, 470, 76, 24, 20, 52
	var most point
	for _, c := range curves {
		for _, p := range c {
			most.x, most.y = max(most.x, p.x), max(most.y, p.y)
		}
	}
	marksX, marksY := ticks(most.x), ticks(most.y)
	endX, endY := marksX[len(marksX)-1], marksY[len(marksY)-1]
	at := func(p point) (x, y float64) {
		return left + p.x/endX*(width-left-right), height - bottom - p.y/endY*(height-top-bottom)
	}
	c := newCanvas(width, height)
	for _, m := range marksX {
		x, _ := at(point{m, 0})
		c.line(x, height-bottom, x, height-bottom+5, "black")
		c.text(x, height-bottom+19, "middle", short(m))
	}
	for _, m := range marksY {
		_, y := at(point{0, m})
		c.line(left, y, width-right, y, "#dddddd")
		c.text(left-8, y+4, "end", short(m))
	}
	c.line(left, height-bottom, width-right, height-bottom, "black")
	c.line(left, top, left, height-bottom, "black")
	c.text((left+width-right)/2, height-12, "middle", xs)
	c.upright(20, (top+height-bottom)/2, ys)
	for i, curve := range curves {
		c.curve(curve, at, colour(i))
	}
	c.legend(left+16, top+4, names)
	return c.end()
}

// curve draws points and what joins them.
func (c *canvas) curve(points []point, at func(point) (x, y float64), colour string) {
	fmt.Fprintf(c, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colour)
	for _, p := range points {
		x, y := at(p)
		fmt.Fprintf(c, "%.1f,%.1f ", x, y)
	}
	c.WriteString("\"/>\n")
	for _, p := range points {
		x, y := at(p)
		fmt.Fprintf(c, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
	}
}
