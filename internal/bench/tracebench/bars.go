// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

// bars are a group of bars that stand beside each other. 0 is none.
type bars struct {
	name   string
	values []float64
}

// plotBars is a picture of some groups, one below the other, of lying bars with their values at the
// ends.
func plotBars(title string, names []string, groups []bars) []byte {
	const left, right, top, bottom, thick, gap = 210, 60, 16, 46, 13, 14
	most := 1.0
	for _, g := range groups {
		for _, v := range g.values {
			most = max(most, v)
		}
	}
	marks := ticks(most)
	most = marks[len(marks)-1]
	group := thick*len(names) + gap
	legend := 18*len(names) + 10
	const width = 760
	height := top + legend + group*len(groups) + bottom
	c := newCanvas(width, height)
	c.legend(left, top, names)
	floor := float64(height - bottom)
	at := func(v float64) float64 { return left + v/most*(width-left-right) }
	for _, m := range marks {
		c.line(at(m), float64(top+legend), at(m), floor, "#dddddd")
		c.text(at(m), floor+17, "middle", short(m))
	}
	c.text((left+width-right)/2, floor+36, "middle", title)
	for i, g := range groups {
		y := float64(top + legend + i*group + gap/2)
		for n, line := range twoLines(g.name, 30) {
			c.text(left-8, y+float64(thick*len(names))/2+4+14*float64(n), "end", line)
		}
		for j, v := range g.values {
			c.bar(at(0), y+float64(j*thick), at(v)-at(0), thick-2, colour(j), v)
		}
	}
	c.line(at(1), float64(top+legend), at(1), floor, "#555555") // as plain
	c.line(left, float64(top+legend), left, floor, "black")
	return c.end()
}

// twoLines cuts what is longer than a line at its last space before that.
func twoLines(s string, longest int) []string {
	if len(s) <= longest {
		return []string{s}
	}
	for i := longest; i > 0; i-- {
		if s[i] == ' ' {
			return []string{s[:i], s[i+1:]}
		}
	}
	return []string{s}
}
