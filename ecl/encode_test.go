// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// encode is all of a table in lines of fields that tabs separate, for comparing tables.
func (t *Table) encode() string {
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
		line("method", i, m.Name, string(rune(m.Role)), t.flags(m), strings.Join(m.Params, ","),
			strings.Join(m.Results, ","), m.Real)
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

// encode returns the methods, the smaller index first, and the conditions in
// the form for the engine.
func (a *Also) encode() (m1, m2 int, conds string) {
	m1, m2 = a.M[0].Index, a.M[1].Index
	var all []string
	for _, c := range a.Conds {
		if m1 > m2 {
			c = c.Swapped()
		}
		all = append(all, c.encode())
	}
	return min(m1, m2), max(m1, m2), strings.Join(all, ",")
}

func (c Cond) encode() string {
	sign := func(yes, no string) string {
		if c.Want {
			return yes
		}
		return no
	}
	switch c.Kind {
	case First:
		return fmt.Sprint("a", sign("+", "-"), c.X)
	case Second:
		return fmt.Sprint("b", sign("+", "-"), c.Y)
	case FirstUnused:
		return fmt.Sprint("a~", c.X)
	case SecondUnused:
		return fmt.Sprint("b~", c.Y)
	}
	return fmt.Sprint(c.X, sign("=", "!"), c.Y)
}
