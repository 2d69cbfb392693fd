// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// A gen makes random specs: formulas of definition 6.3 over a few methods.
type gen struct {
	*rand.Rand
	arity []int
}

// atom is a random atom of the given call (1 or 2).
func (g *gen) atom(m, call int) string {
	n := g.arity[m]
	v := func() string { return fmt.Sprintf("%c%d", 'a'+g.Intn(n), call) }
	switch g.Intn(4) {
	case 0:
		return v() + " == 0"
	case 1:
		return v() + " < " + v()
	case 2:
		return v() + " != 1"
	}
	return v() + " == " + v()
}

func (g *gen) b(m [2]int, depth int) string {
	if depth == 0 || g.Intn(3) == 0 {
		side := g.Intn(2)
		if g.arity[m[side]] == 0 || g.Intn(12) == 0 {
			return []string{"true", "false"}[g.Intn(2)]
		}
		return g.atom(m[side], side+1)
	}
	x, y := g.b(m, depth-1), g.b(m, depth-1)
	switch g.Intn(5) {
	case 0:
		return "!(" + x + ")"
	case 1:
		return "((" + x + ") == (" + y + " && true))"
	case 2, 3:
		return "(" + x + " && " + y + ")"
	}
	return "(" + x + " || " + y + ")"
}

func (g *gen) x(m [2]int, depth int) string {
	switch k := g.Intn(5); {
	case depth > 0 && k == 0:
		return "(" + g.x(m, depth-1) + " && " + g.x(m, depth-1) + ")"
	case depth > 0 && k < 3:
		return "(" + g.x(m, depth-1) + " || " + g.b(m, 2) + ")"
	case k == 3:
		return g.b(m, 2)
	}
	if g.arity[m[0]] == 0 || g.arity[m[1]] == 0 {
		return "true"
	}
	return fmt.Sprintf("%c1 != %c2", 'a'+g.Intn(g.arity[m[0]]), 'a'+g.Intn(g.arity[m[1]]))
}

// spec prints a random spec; the formula of a method with itself is made
// symmetric by a conjunction with its mirror image.
func (g *gen) spec() string {
	var b strings.Builder
	g.arity = nil
	for range 1 + g.Intn(6) {
		g.arity = append(g.arity, g.Intn(4))
	}
	depth := 2
	if len(g.arity) > 3 {
		depth = 1 // or the tables are too large
	}
	for i := range g.arity {
		for j := i; j < len(g.arity); j++ {
			f := g.x([2]int{i, j}, depth)
			if i == j {
				f += " && " + strings.NewReplacer("a1", "a2", "b1", "b2", "c1", "c2", "a2", "a1",
					"b2", "b1", "c2", "c1").Replace(f)
			}
			fmt.Fprintf(&b, "//ecl:commute %s, %s: %s\n", g.call(i, 1), g.call(j, 2), f)
		}
	}
	return b.String()
}

// parse parses a random spec, whose formulas may have parts without effect. It
// returns nil if there are too many conditions.
func (g *gen) parse(t testing.TB, text string) *Spec {
	t.Helper()
	specs, err := Parse("f.ecl", 1, 1, text)
	errs, _ := err.(Errors)
	for _, e := range errs {
		if strings.Contains(e.Text, "symmetry can be checked for") {
			return nil
		}
		if !strings.Contains(e.Text, " is always ") &&
			!strings.Contains(e.Text, " makes no difference ") {
			t.Fatalf("%v\n%s", e, text)
		}
	}
	return specs[0]
}

func (g *gen) call(m, n int) string {
	var vs []string
	for i := range g.arity[m] {
		vs = append(vs, fmt.Sprintf("%c%d", 'a'+i, n))
	}
	return fmt.Sprintf("M%d(%s)", m, strings.Join(vs, ", "))
}

// truthOf computes a method's normalised atoms on values, independently of the
// translation.
func truthOf(t *testing.T, m *Method, vals []int) func(int) bool {
	term := func(s string) int {
		for i, v := range m.Vars() {
			if v == s {
				return vals[i]
			}
		}
		return int(s[0] - '0')
	}
	return func(i int) bool {
		f := strings.Fields(m.atoms[i])
		switch x, y := term(f[0]), term(f[2]); f[1] {
		case "==":
			return x == y
		case "<":
			return x < y
		}
		t.Fatal(m.atoms[i])
		return false
	}
}

func FuzzParse(f *testing.F) {
	f.Add(dictionary)
	f.Add("//ecl:type a/b.T\n//ecl:observer G(k)/(v), R(f)\n//ecl:callback R(f)\n//ecl:shadow " +
		"S(k)/(a; b): s(k)\n//ecl:also S(x1), S(x2): x1 == x2\n//ecl:default false\n")
	f.Add("//ecl:commute P(_, v1), P(_, v2): !(-(-v1) == 1) && (v2+2)*3 <= len(v2) == true")
	f.Add("//ecl:default false\n//ecl:also S(x1)/(a1), T(x2)/(b2): x1 != x2 && (!b2) && a1 && " +
		"(x2 == a1)\n//ecl:also T(x1), S(x2): !x2 && x1\n//ecl:also S(x1), S(x2): x1")
	f.Add("//ecl:module a.b/c >=v1.0.0 <v2.0.0\n//ecl:type a.b/c.T\n//ecl:identity a.b\n" +
		"//ecl:new f(1, 2)\n//ecl:sample []int: []int{1, 2}, nil\n//ecl:group R(k)/v: G(k)/v, " +
		"P(_, k)/v\n//ecl:observer R\n//ecl:commute R(k1)/v1, S(k2)/o2: k1 != k2 || v1.x == c\n" +
		"//ecl:commute {R, S}, _: false\n//ecl:object a.b/c.o\n//ecl:default true\n//ecl:mutator F")
	f.Add("//ecl:open\n//ecl:commute A(d1)/n1, A(d2)/n2: d1 == 0 && d2 == 0\n//ecl:also " +
		"A(d1)/n1, A(d2)/n2: unused(n1) && unused(n2)\n//ecl:commute A(_)/_, _: false\n" +
		"//ecl:observer L()/n")
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := Parse("f.ecl", 1, 1, text)
		if err != nil {
			return
		}
		for _, s := range specs {
			printed := s.String()
			again, err := Parse("f.ecl", 1, 1, printed)
			if err != nil || len(again) != 1 {
				if printed == "" {
					continue
				}
				t.Fatalf("%q prints as\n%s\nwhich does not parse: %v", text, printed, err)
			}
			if got := again[0].String(); got != printed {
				t.Fatalf("%q prints as\n%s\nand then as\n%s", text, printed, got)
			}
			if tb, err := Compile(s); err == nil {
				_, _ = tb.encode(), tb.String()
			}
		}
	})
}
