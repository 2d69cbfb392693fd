// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// colours are the colours of curves and bars. They differ for readers who don't see red and green,
// too.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

// A canvas is an SVG that is being drawn.
type canvas struct {
	bytes.Buffer
	width, height int
}

func newCanvas(width, height int) *canvas {
	c := &canvas{width: width, height: height}
	fmt.Fprintf(c,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
			`font-family="sans-serif" font-size="12">`+"\n",
		width, height)
	fmt.Fprintf(c, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	return c
}

// text writes at a place, which is the start, middle or end of the text.
func (c *canvas) text(x, y float64, anchor, s string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
		x, y, anchor, escape(s))
}

// upright writes upwards, with its middle at a place.
func (c *canvas) upright(x, y float64, s string) {
	fmt.Fprintf(c,
		`<text transform="translate(%.1f %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		x, y, escape(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, colour string) {
	fmt.Fprintf(c, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, colour)
}

// legend has a square for each name, one below the other, from a place on.
func (c *canvas) legend(x, y float64, names []string) {
	for i, name := range names {
		top := y + 18*float64(i)
		fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="11" height="11" fill="%s"/>`+"\n",
			x, top, colour(i))
		c.text(x+17, top+10, "start", name)
	}
}

// end is the whole picture.
func (c *canvas) end() []byte {
	c.WriteString("</svg>\n")
	return c.Bytes()
}

func colour(i int) string { return colours[i%len(colours)] }

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

// ticks are round numbers from 0 to the first that isn't less than most, at most seven of them.
// They are multiples of 1, 2 or 5 times a power of ten.
func ticks(most float64) []float64 {
	if most <= 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		most = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(most/6)))
	for _, f := range []float64{1, 2, 5, 10} {
		if f*step*6 >= most*(1-1e-9) {
			step *= f
			break
		}
	}
	list := []float64{0}
	for i := 1; list[len(list)-1] < most*(1-1e-9); i++ {
		list = append(list, float64(i)*step)
	}
	return list
}

// powers are the powers of ten from one that isn't more than least to one that isn't less than
// most.
func powers(least, most float64) []float64 {
	from, to := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	if to <= from {
		to = from + 1
	}
	var list []float64
	for e := from; e <= to; e++ {
		list = append(list, math.Pow(10, e))
	}
	return list
}

// short is a number in three digits, as it stands at an axis: 0, 0.05, 2, 500k, 1M, 2.5G.
func short(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= unit.size*0.9995 { // as it's rounded
			return fmt.Sprintf("%.3g%s", x/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", x)
}

// bar is a lying bar with its value at the end; nothing if that is 0.
func (c *canvas) bar(x, y, width, height float64, colour string, value float64) {
	if value == 0 {
		return
	}
	fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y,
		width, height, colour)
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" font-size="10">%.3g</text>`+"\n", x+width+4,
		y+height-1.5, value)
}

// logScale has the powers of ten around two numbers, and where a number is between two places of
// the axis.
func logScale(least, most, from, to float64) (at func(float64) float64, marks []float64) {
	marks = powers(least, most)
	low, high := math.Log10(marks[0]), math.Log10(marks[len(marks)-1])
	return func(v float64) float64 { return from + (math.Log10(v)-low)/(high-low)*(to-from) }, marks
}
