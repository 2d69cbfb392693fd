// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"
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
	for range 1 + g.Intn(3) {
		g.arity = append(g.arity, g.Intn(4))
	}
	for i := range g.arity {
		for j := i; j < len(g.arity); j++ {
			f := g.x([2]int{i, j}, 2)
			if i == j {
				f += " && " + strings.NewReplacer("a1", "a2", "b1", "b2", "c1", "c2", "a2", "a1", "b2", "b1", "c2", "c1").Replace(f)
			}
			fmt.Fprintf(&b, "//ecl:commute %s, %s: %s\n", g.call(i, 1), g.call(j, 2), f)
		}
	}
	return b.String()
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

// conflicts reports whether two calls touch conflicting points, and counts the
// point pairs looked at.
func conflicts(tb *Table, m1, m2 int, b1, b2 uint32, v1, v2 []int) bool {
	for _, p := range tb.Methods[m1].Touch[b1] {
		for _, q := range tb.Methods[m2].Touch[b2] {
			if tb.Conflict(p.Point, q.Point) && (p.Arg < 0 || v1[p.Arg] == v2[q.Arg]) {
				return true
			}
		}
	}
	return false
}

// TestEquivalence is theorem 6.5: two calls touch conflicting points iff their
// formula is false; after the translation, and after each simplification.
func TestEquivalence(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	g := &gen{Rand: rand.New(rand.NewSource(seed))}
	specs, calls, falses := 0, 0, 0
	for range 1200 {
		text := g.spec()
		s := parse1(t, text)
		y := newSystem(s)
		plain, err := translate(y)
		if err != nil || len(plain.Points) > 56 {
			continue // the unsimplified stages would take too long
		}
		specs++
		consolidated, err := translate(consolidate(y))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		final, err := Compile(s)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		stages := []*Table{plain, drop(plain), cleanup(plain), replace(plain), consolidated,
			drop(consolidated), cleanup(drop(consolidated)), replace(cleanup(drop(consolidated))), final}
		for i, tb := range stages {
			checkBound(t, i, tb, stages[0], text)
		}
		for range 40 {
			p := s.Pairs[g.Intn(len(s.Pairs))]
			var v [2][]int
			for i := range v {
				for range p.M[i].Vars() {
					v[i] = append(v[i], g.Intn(3))
				}
			}
			at := [2]func(int) bool{truthOf(t, p.M[0], v[0]), truthOf(t, p.M[1], v[1])}
			want := p.f.eval(func(c, i int) bool { return at[c-1](i) }, func(x, y int) bool { return v[0][x] != v[1][y] })
			calls++
			if !want {
				falses++
			}
			for i, tb := range stages {
				m := [2]int{p.M[0].Index, p.M[1].Index}
				b := [2]uint32{tb.Methods[m[0]].beta(at[0]), tb.Methods[m[1]].beta(at[1])}
				if got := !conflicts(tb, m[0], m[1], b[0], b[1], v[0], v[1]); got != want {
					t.Fatalf("stage %d: %s%v, %s%v: points say %v, the formula %v\n%s\n%s", i, p.M[0].Name, v[0], p.M[1].Name, v[1], got, want, text, tb)
				}
			}
		}
	}
	t.Logf("%d specs, %d calls, %d of them do not commute", specs, calls, falses)
	if specs < 400 || falses < calls/20 || falses > calls*19/20 {
		t.Error("too few cases, or too one-sided")
	}
}

// checkBound is theorem 6.6 and what makes it so: keyed points conflict with
// keyed points only, so a point has at most as many conflicts as there are
// classes; and no simplification adds points.
func checkBound(t *testing.T, stage int, tb, plain *Table, text string) {
	t.Helper()
	if len(tb.Points) > len(plain.Points) {
		t.Fatalf("stage %d has more points than the translation\n%s", stage, text)
	}
	for i := range tb.Points {
		for j := range tb.Points {
			if tb.Conflict(i, j) && (tb.Points[i].Keyed != tb.Points[j].Keyed || !tb.Conflict(j, i)) {
				t.Fatalf("stage %d: bad conflict %d, %d\n%s", stage, i, j, text)
			}
		}
	}
}

// TestMinimal checks that the final table has nothing left to simplify.
func TestMinimal(t *testing.T) {
	g := &gen{Rand: rand.New(rand.NewSource(1))}
	for range 300 {
		tb, err := Compile(parse1(t, g.spec()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range tb.Points {
			if tb.degree(i) == 0 || len(tb.touchers(i)) == 0 {
				t.Fatalf("idle point %s\n%s", tb.Points[i].Name, tb)
			}
			for j := range i {
				if tb.row(i) == tb.row(j) || tb.Points[i].Name == tb.Points[j].Name {
					t.Fatalf("points %s and %s are alike\n%s", tb.Points[i].Name, tb.Points[j].Name, tb)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(dictionary)
	f.Add("//ecl:type a/b.T\n//ecl:observer G(k)/(v), R(f)\n//ecl:callback R(f)\n//ecl:shadow S(k)/(a; b): s(k)\n//ecl:also S(x1), S(x2): x1 == x2\n//ecl:default false\n")
	f.Add("//ecl:commute P(_, v1), P(_, v2): !(-(-v1) == 1) && (v2+2)*3 <= len(v2) == true")
	f.Add("//ecl:default false\n//ecl:also S(x1)/(a1), T(x2)/(b2): x1 != x2 && (!b2) && a1 && (x2 == a1)\n//ecl:also T(x1), S(x2): !x2 && x1\n//ecl:also S(x1), S(x2): x1")
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
				_, _ = tb.Encode(), tb.String()
			}
		}
	})
}
