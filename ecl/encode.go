// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Encode returns t in the text form that the engine reads. doc.go has its grammar.
func (t *Table) Encode() string {
	var b strings.Builder
	line := func(fields ...any) {
		for i, f := range fields {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(strings.ReplaceAll(fmt.Sprint(f), "\t", " "))
		}
		b.WriteByte('\n')
	}
	line("ecl1")
	line("type", t.Spec.TypeName())
	for i, m := range t.Methods {
		line("method", i, m.Name, string(rune(m.Role)), t.flags(m), strings.Join(m.Params, ","), strings.Join(m.Results, ","), m.Real)
	}
	for i, m := range t.Methods {
		if len(m.Keys) > 0 {
			fields := []any{"keys", i}
			for _, k := range m.Keys {
				fields = append(fields, k)
			}
			line(fields...)
		}
	}
	for i, p := range t.Points {
		kind := "g"
		if p.Keyed {
			kind = "k"
		}
		line("point", i, kind, p.Name)
	}
	for i := range t.Points {
		for j := i; j < len(t.Points); j++ {
			if t.Conflict(i, j) {
				line("conflict", i, j)
			}
		}
	}
	for i, m := range t.Methods {
		for beta, touch := range m.Touch {
			fields := []any{"touch", i, beta}
			for _, u := range touch {
				key := "-"
				if u.Arg >= 0 {
					key = fmt.Sprint(slices.Index(m.Keys, u.Arg))
				}
				fields = append(fields, fmt.Sprintf("%d:%s", u.Point, key))
			}
			line(fields...)
		}
	}
	for _, p := range t.Spec.Pairs {
		lo, hi := min(p.M[0].Index, p.M[1].Index), max(p.M[0].Index, p.M[1].Index)
		line("formula", lo, hi, p.Pos, p.Text)
	}
	for _, a := range t.Spec.Also {
		m1, m2, conds := a.encode()
		line("also", m1, m2, conds)
	}
	line("end")
	return b.String()
}

func (t *Table) flags(m *TableMethod) string {
	flags := ""
	if m.Callback != "" {
		flags += "c"
	}
	if t.Spec.Open {
		flags += "o"
	}
	return cmp.Or(flags, "-")
}

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
			fmt.Fprintf(&b, "%-32s %-28s %s\n", m.display(), strings.Join(ps, ", "), m.Beta(uint32(beta)))
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
