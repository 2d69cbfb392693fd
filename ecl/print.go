// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"strings"
)

// String prints t for people, like figure 7: the points, what each method
// touches and when, and the matrix of conflicts.
func (t *Table) String() string {
	var b strings.Builder
	var names []string
	width := 0
	for _, p := range t.Points {
		names = append(names, p.Name)
		width = max(width, len(p.Name))
	}
	fmt.Fprintf(&b, "%s\npoints: %s\n\n", t.Spec.TypeName(), strings.Join(names, ", "))
	for _, m := range t.Methods {
		for beta, touch := range m.Touch {
			var ps []string
			for _, u := range touch {
				name := t.Points[u.Point].Name
				if u.Arg >= 0 {
					name = name[:strings.LastIndexByte(name, ':')+1] + m.Vars()[u.Arg]
				}
				ps = append(ps, name)
			}
			if len(ps) == 0 {
				ps = []string{"-"}
			}
			fmt.Fprintf(&b, "%-32s %-28s %s\n", m.display(), strings.Join(ps, ", "),
				m.Beta(uint32(beta)))
		}
	}
	b.WriteByte('\n')
	for i, p := range t.Points {
		fmt.Fprintf(&b, "%-*s ", width, p.Name)
		for j := 0; j <= i; j++ {
			c := " ."
			switch {
			case t.Conflict(i, j) && p.Keyed:
				c = " ="
			case t.Conflict(i, j):
				c = " x"
			}
			b.WriteString(c)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
