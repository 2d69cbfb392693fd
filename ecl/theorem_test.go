// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"math/rand"
	"testing"
	"time"
)

// A stage is a table on the way from the translation to what Compile returns.
type stage struct {
	name   string
	table  *Table
	before int // the stage that it simplifies
}

// stages applies the simplifications of A.3 one after the other, and each of them alone; nil if the
// translation is too large to do so.
func stages(t *testing.T, s *Spec) []stage {
	y := newSystem(s)
	plain, err := translate(y)
	if err != nil || len(plain.Points) > 200 {
		return nil
	}
	consolidated, err := translate(consolidate(y, true))
	if err != nil {
		t.Fatal(err)
	}
	final, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	dropped := drop(consolidated)
	cleaned := cleanup(dropped)
	return []stage{
		{"translate", plain, 0},
		{"drop alone", drop(plain), 0},
		{"cleanup alone", cleanup(plain), 0},
		{"replace alone", replace(plain), 0},
		{"consolidate", consolidated, 0},
		{"drop", dropped, 4},
		{"cleanup", cleaned, 5},
		{"replace", replace(cleaned), 6},
		{"finish", final, 7},
	}
}

// conflicts reports whether two calls touch conflicting points.
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
	methods := map[int]int{}
	specs, calls, falses := 0, 0, 0
	for range 600 {
		text := g.spec()
		s := g.parse(t, text)
		if s == nil {
			continue
		}
		all := stages(t, s)
		if all == nil {
			continue
		}
		specs++
		methods[len(s.Methods)]++
		bounds := degrees(s)
		for _, st := range all {
			checkSize(t, st, all[st.before], text)
			checkBound(t, st, bounds, text)
		}
		for range 40 {
			calls++
			if !checkCalls(t, g, s, all) {
				falses++
			}
		}
	}
	t.Logf("%d specs, by methods %v; %d calls, %d of them do not commute", specs, methods, calls,
		falses)
	if specs < 250 || methods[6] < 10 || falses < calls/20 || falses > calls*19/20 {
		t.Error("too few cases, or too one-sided")
	}
}

// checkCalls compares the points of two random calls with their formula, which
// is returned, at all stages.
func checkCalls(t *testing.T, g *gen, s *Spec, all []stage) bool {
	t.Helper()
	p := s.Pairs[g.Intn(len(s.Pairs))]
	var v [2][]int
	for i := range v {
		for range p.M[i].Vars() {
			v[i] = append(v[i], g.Intn(3))
		}
	}
	at := [2]func(int) bool{truthOf(t, p.M[0], v[0]), truthOf(t, p.M[1], v[1])}
	want := p.f.eval(func(c, i int) bool { return at[c-1](i) },
		func(x, y int) bool { return v[0][x] != v[1][y] })
	m := [2]int{p.M[0].Index, p.M[1].Index}
	for _, st := range all {
		b := [2]uint32{st.table.Methods[m[0]].beta(at[0]), st.table.Methods[m[1]].beta(at[1])}
		if got := !conflicts(st.table, m[0], m[1], b[0], b[1], v[0], v[1]); got != want {
			t.Fatalf("%s: %s%v, %s%v: points say %v, the formula %v\n%s\n%s", st.name, p.M[0].Name,
				v[0], p.M[1].Name, v[1], got, want, s, st.table)
		}
	}
	return want
}

// checkSize checks that a simplification makes nothing larger.
func checkSize(t *testing.T, st, before stage, text string) {
	t.Helper()
	size := func(tb *Table) (s [4]int) {
		s[0] = len(tb.Points)
		for i := range tb.Points {
			s[1] += tb.degree(i)
		}
		for _, m := range tb.Methods {
			s[2] += len(m.Touch)
			for _, touch := range m.Touch {
				s[3] = max(s[3], len(touch))
			}
		}
		return s
	}
	now, then := size(st.table), size(before.table)
	for i, what := range []string{"points", "conflicts", "beta vectors", "points of one call"} {
		if now[i] > then[i] {
			t.Fatalf("%s: %d %s, and %d at %s\n%s", st.name, now[i], what, then[i], before.name,
				text)
		}
	}
}

// TestLargeConsolidated has so many atoms that subformulas take their place although they cannot
// have all truths together.
func TestLargeConsolidated(t *testing.T) {
	s := parse1(t,
		"//ecl:default true\n//ecl:commute P(a1, b1, c1, d1, e1, f1, g1, h1, i1, j1), Q(x2, y2): "+
			"((a1 && b1 && c1 && d1 && e1 && f1 && g1 && h1 && i1 && j1) || x2) && ((a1 || b1 "+
			"|| c1 || d1 || e1 || f1 || g1 || h1 || i1 || j1) || y2)")
	y := newSystem(s)
	if _, err := translate(consolidate(y, true)); err == nil {
		t.Error("the atoms are few")
	}
	tb, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tb.Methods[0].Atoms); n != 2 {
		t.Errorf("%d atoms", n)
	}
}

// degrees bounds the conflicts of the points of each method, by slot (-1 first), from the text of
// the spec alone: theorem 6.6.
func degrees(s *Spec) [][]int {
	bounds := make([][]int, len(s.Methods))
	for i, m := range s.Methods {
		bounds[i] = make([]int, 1+len(m.Vars()))
	}
	for _, p := range s.Pairs {
		sides := []int{0, 1}
		if p.M[0] == p.M[1] {
			sides = sides[:1]
		}
		for _, i := range sides {
			me, other := p.M[i], p.M[1-i]
			betas := 1 << len(other.atoms)
			bounds[me.Index][0] += betas
			p.f.walk(func(n *node) {
				if n.op != opNeq {
					return
				}
				bounds[me.Index][1+[]int{n.x, n.y}[i]] += betas
				if p.M[0] == p.M[1] {
					bounds[me.Index][1+n.y] += betas
				}
			})
		}
	}
	return bounds
}

// checkBound is theorem 6.6: a point has at most so many conflicts as its
// method's formulas have disequalities of its value, for each beta of the other
// method; keyed ones conflict for equal values, and with keyed ones only.
func checkBound(t *testing.T, st stage, bounds [][]int, text string) {
	t.Helper()
	tb := st.table
	for i, p := range tb.Points {
		if d, most := tb.degree(i), bounds[p.method][1+p.slot]; d > most {
			t.Fatalf("%s: point %d has %d conflicts, more than %d\n%s", st.name, i, d, most, text)
		}
		for j := range tb.Points {
			if tb.Conflict(i, j) && (p.Keyed != tb.Points[j].Keyed || !tb.Conflict(j, i)) {
				t.Fatalf("%s: bad conflict %d, %d\n%s", st.name, i, j, text)
			}
		}
	}
}

// TestMinimal checks that the final table has nothing left to simplify.
func TestMinimal(t *testing.T) {
	g := &gen{Rand: rand.New(rand.NewSource(1))}
	for range 300 {
		text := g.spec()
		s := g.parse(t, text)
		if s == nil {
			continue
		}
		tb, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tb.Points {
			if tb.degree(i) == 0 || len(tb.touchers(i)) == 0 {
				t.Fatalf("idle point %s\n%s", tb.Points[i].Name, tb)
			}
			for j := range i {
				if tb.row(i) == tb.row(j) || tb.Points[i].Name == tb.Points[j].Name {
					t.Fatalf("points %s and %s are alike\n%s", tb.Points[i].Name, tb.Points[j].Name,
						tb)
				}
			}
		}
	}
}

// TestDeterministic compiles each spec many times.
func TestDeterministic(t *testing.T) {
	g := &gen{Rand: rand.New(rand.NewSource(2))}
	for range 40 {
		text := g.spec()
		if g.parse(t, text) == nil {
			continue
		}
		first := ""
		for range 20 {
			tb, err := Compile(g.parse(t, text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			got := tb.encode() + tb.String() + tb.Dot() + string(tb.JSON())
			if first == "" {
				first = got
			}
			if got != first {
				t.Fatalf("%s\nand then\n%s", first, got)
			}
		}
	}
}
