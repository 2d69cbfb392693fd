// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"slices"
	"strings"
	"testing"
)

// TestFamilies compares sets, groups and wildcards with the same pairs written out.
func TestFamilies(t *testing.T) {
	for _, c := range []struct{ name, short, long string }{
		{"wildcard", `//ecl:commute Get(k1), _: true
//ecl:commute Put(k1), Put(k2): k1 != k2`,
			`//ecl:commute Put(k1), Put(k2): k1 != k2
//ecl:commute Get(k1), Get(k2): true
//ecl:commute Get(k1), Put(k2): true`},
		{"wildcard with a condition", `//ecl:commute _, Put(k2)/(ok2): !ok2
//ecl:commute Put(k1)/(ok1), Put(k2)/(ok2): false
//ecl:observer Get(k), Len()`,
			`//ecl:commute Put(k1)/(ok1), Put(k2)/(ok2): false
//ecl:observer Get(k), Len()
//ecl:commute Get(k1), Put(k2)/(ok2): !ok2
//ecl:commute Len(), Put(k2)/(ok2): !ok2`},
		{"sets", `//ecl:observer Get(k), Len()
//ecl:mutator Put(k), Drop(k)
//ecl:commute {Get, Len}, {Put, Drop}: false
//ecl:commute {Put, Drop}, {Put, Drop}: true`,
			`//ecl:observer Get(k), Len()
//ecl:mutator Put(k), Drop(k)
//ecl:commute Get(k1), Put(k2): false
//ecl:commute Get(k1), Drop(k2): false
//ecl:commute Len(), Put(k2): false
//ecl:commute Len(), Drop(k2): false
//ecl:commute Put(k1), Put(k2): true
//ecl:commute Put(k1), Drop(k2): true
//ecl:commute Drop(k1), Drop(k2): true`},
		{"groups", `//ecl:group Read(k)/v: Get(k)/(v, ok), Peek(_, k)/v
//ecl:observer Read
//ecl:commute Read(k1)/v1, Put(k2)/ok2: k1 != k2 || v1 == nil
//ecl:commute Put(k1)/ok1, Put(k2)/ok2: k1 != k2`,
			`//ecl:observer Get(k)/(v, ok), Peek(_, k)/v
//ecl:commute Get(k1)/(v1, _), Put(k2)/ok2: k1 != k2 || v1 == nil
//ecl:commute Peek(_, k1)/v1, Put(k2)/ok2: k1 != k2 || v1 == nil
//ecl:commute Put(k1)/ok1, Put(k2)/ok2: k1 != k2`},
		{"precedence", `//ecl:default false
//ecl:mutator A(x), B(x), C(x)
//ecl:commute A(x1), _: true
//ecl:commute {A}, {B}: x1 == nil
//ecl:commute A(x1), A(x2): x1 != x2`, ``},
		{"the more precise first", `//ecl:default false
//ecl:mutator A(x), B(x), C(x)
//ecl:commute A(x1), _: true
//ecl:commute {A, B}, {B}: false
//ecl:commute A(x1), A(x2): x1 != x2
//ecl:commute {C}, _: true`, `//ecl:mutator A(x), B(x), C(x)
//ecl:commute A(x1), A(x2): x1 != x2
//ecl:commute A(x1), B(x2): false
//ecl:commute A(x1), C(x2): true
//ecl:commute B(x1), B(x2): false
//ecl:commute B(x1), C(x2): true
//ecl:commute C(x1), C(x2): true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long == "" {
				if _, err := Parse("f.ecl", 1, 1, c.short); err == nil {
					t.Error("a set has no variables, and yet it is accepted")
				}
				return
			}
			short, long := essence(t, c.short), essence(t, c.long)
			if short != long {
				t.Errorf("%s\nmeans\n%s\nwant\n%s", c.short, short, long)
			}
			if again := essence(t, parse1(t, c.short).String()); again != long {
				t.Errorf("printed and read again it means\n%s\nwant\n%s", again, long)
			}
		})
	}
}

// essence is a spec's table without the words and positions of its formulas.
func essence(t *testing.T, text string) string {
	tb, err := Compile(parse1(t, text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	index := map[string]string{}
	for l := range strings.Lines(tb.encode()) {
		f := strings.Split(strings.TrimSpace(l), "\t")
		switch f[0] {
		case "method":
			index[f[1]] = f[2]
			lines = append(lines, "method "+strings.Join(f[2:4], " "))
		}
	}
	for _, m := range tb.Methods {
		for _, n := range tb.Methods {
			for b, touch := range m.Touch {
				for c, other := range n.Touch {
					hit := []string{}
					for _, p := range touch {
						for _, q := range other {
							if tb.Conflict(p.Point, q.Point) {
								hit = append(hit, strings.Join([]string{key(m, p), key(n, q)}, "~"))
							}
						}
					}
					slices.Sort(hit)
					lines = append(lines, strings.Join([]string{m.Name, m.Beta(uint32(b)), n.Name,
						n.Beta(uint32(c)), strings.Join(slices.Compact(hit), " ")}, " | "))
				}
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func key(m *TableMethod, u Touch) string {
	if u.Arg < 0 {
		return "-"
	}
	return m.Vars()[u.Arg]
}

// TestHeaders reads and prints the directives about a type as such.
func TestHeaders(t *testing.T) {
	text := `//ecl:module example.com/cache/v2 >=v2.1.0 <v3.0.0
//ecl:type example.com/cache/v2.Cache
//ecl:identity inner.m
//ecl:new New[string, int](4, func(a, b string) bool { return a < b })
//ecl:sample time.Duration: 0, max(time.Hour, 1), []int{1, 2}[1]
//ecl:sample K: "a"
//ecl:mutator Clear()
//ecl:default false
//ecl:object example.com/cache/v2.registry
//ecl:mutator Register(name)
//ecl:default false
`
	specs, err := Parse("f.ecl", 1, 1, text)
	if err != nil {
		t.Fatal(err)
	}
	s := specs[0]
	if got := s.Samples[0].Exprs; !slices.Equal(got,
		[]string{"0", "max(time.Hour, 1)", "[]int{1, 2}[1]"}) {
		t.Errorf("samples %q", got)
	}
	if specs[0].Object || !specs[1].Object || specs[1].Module != s.Module {
		t.Error("an object is a type, or another module's")
	}
	if got, want := s.String(), strings.Join(strings.SplitAfter(text, "\n")[:8], ""); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for version, want := range map[string]bool{"v2.0.9": false, "v2.1.0": true, "v2.9.1": true,
		"v3.0.0": false, "v2.1.0+incompatible": true, "": false, "(devel)": false} {
		if s.Module.Allows(version) != want {
			t.Errorf("version %q: %v, want %v", version, !want, want)
		}
	}
}

// TestRefs checks what conditions may mention besides the values of a call.
func TestRefs(t *testing.T) {
	s := parse1(t, "//ecl:commute P(r1), P(r2): r1.kind == read && r2.kind == read || r1.a.b && "+
		"r2.a.b\n//ecl:commute P(r1), Q(): r1.n < limit + 1\n//ecl:commute Q(), Q(): true")
	var names []string
	for _, r := range s.Refs {
		names = append(names, r.Name)
	}
	if !slices.Equal(names, []string{"read", "read", "limit"}) {
		t.Errorf("refs %v", names)
	}
	tb, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(tb.Methods[0].Atoms,
		"; "); got != "r.kind == read || r.a.b; r.n < limit + 1" &&
		got != "r.kind == read; r.a.b; r.n < limit + 1" {
		t.Errorf("atoms %s", got)
	}
	if got := number("r.kind == r.r", []string{"r"}, 2); got != "r2.kind == r2.r" {
		t.Errorf("numbered: %s", got)
	}
}
