// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("u", false, "rewrite the golden files")

// shown has all that the encoders have to say: a shadow result, a callback, an alternative, a
// default, quotes and backslashes.
const shown = `//ecl:type example.com/a.Store
//ecl:observer Get(k)/v, Len()/n
//ecl:arbiter Claim(k, owner)/(ok)
//ecl:mutator Put(k, v)/(old)
//ecl:shadow Put(k, v)/(old): swap(k, v)
//ecl:callback Each(f)
//ecl:default false
//ecl:commute Put(k1, v1)/old1, Put(k2, v2)/old2: k1 != k2 || v1 == old1 && v2 == old2
//ecl:commute Put(k1, v1)/old1, Get(k2)/v2: k1 != k2 || v1 == old1 && k1 != "\"\\"
//ecl:commute Put(k1, v1)/old1, Len()/n2: v1 == nil && old1 == nil || v1 != nil && old1 != nil
//ecl:commute Claim(k1, o1)/ok1, Claim(k2, o2)/ok2: k1 != k2 || !ok1 && !ok2
//ecl:commute Claim(k1, o1)/ok1, Get(k2): k1 != o1 && o1 != k2
//ecl:also Put(k1, v1), Put(k2, v2): v1 == v2
//ecl:also Claim(k1, o1)/ok1, Put(k2, v2)/old2: !ok1 && o1 != old2
`

func TestGolden(t *testing.T) {
	tb, err := Compile(parse1(t, shown))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"store.json": string(tb.JSON()),
		"store.dot": tb.Dot()} {
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s (go test -u rewrites it): got\n%s", file, got)
		}
	}
}

// TestShowRandom checks that the encoders' output is well-formed, and that the JSON document says
// what the table does.
func TestShowRandom(t *testing.T) {
	g := &gen{Rand: rand.New(rand.NewSource(3))}
	for range 200 {
		s := g.parse(t, g.spec())
		if s == nil {
			continue
		}
		s.Name = `T"\` + "\n\t"
		tb, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		checkDot(t, tb)
		var d jsonTable
		if err := json.Unmarshal(tb.JSON(), &d); err != nil {
			t.Fatal(err)
		}
		if d.Type != s.Name || len(d.Methods) != len(tb.Methods) ||
			len(d.Points) != len(tb.Points) || len(d.Formulas) != len(s.Pairs) {
			t.Fatalf("%s\n%s", tb, tb.JSON())
		}
		for i, m := range tb.Methods {
			checkTouches(t, tb, m, d.Methods[i])
		}
	}
}

func checkTouches(t *testing.T, tb *Table, m *TableMethod, j jsonMethod) {
	t.Helper()
	if len(j.Touches) != 1<<len(j.Atoms) || len(j.Touches) != len(m.Touch) {
		t.Fatalf("%d atoms, %d touches\n%s", len(j.Atoms), len(j.Touches), tb)
	}
	for beta, touch := range m.Touch {
		var want, got []string
		for _, u := range touch {
			key := ""
			if u.Arg >= 0 {
				key = m.Vars()[u.Arg]
			}
			want = append(want, tb.Points[u.Point].Name+"/"+key)
		}
		for _, u := range j.Touches[beta].Points {
			got = append(got, u.Point+"/"+u.Key)
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || j.Touches[beta].Beta != beta {
			t.Fatalf("beta %d: got %v, want %v", beta, got, want)
		}
	}
}

// TestWhen checks the conditions on the edges of the graph against the table: they are printed for
// people, from the formula that is checked here.
func TestWhen(t *testing.T) {
	g := &gen{Rand: rand.New(rand.NewSource(4))}
	for range 100 {
		s := g.parse(t, g.spec())
		if s == nil {
			continue
		}
		tb, err := Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tb.Methods {
			for _, e := range m.edges() {
				checkWhen(t, m, e)
			}
		}
	}
}

func checkWhen(t *testing.T, m *TableMethod, e touchEdge) {
	t.Helper()
	if e.when == "" {
		e.when = "true"
	}
	text := fmt.Sprintf("//ecl:default true\n//ecl:commute Q(), %s: %s", m.signature(),
		RenameVars(e.when, func(v string) string { return v + "2" }))
	text = strings.NewReplacer("true2", "true", "false2", "false", "nil2", "nil").Replace(text)
	specs, _ := Parse("f.ecl", 1, 1, text) // an atom may have no effect
	q := specs[0].Methods[1]
	if len(specs[0].Pairs) == 0 || specs[0].Pairs[0].f == nil {
		t.Fatal(text)
	}
	for range 20 {
		v := make([]int, len(m.Vars()))
		for i := range v {
			v[i] = rand.Intn(3)
		}
		at := truthOf(t, q, v)
		want := specs[0].Pairs[0].f.eval(func(_, i int) bool { return at(i) }, nil)
		beta := m.beta(truthOf(t, m.Method, v))
		got := false
		for _, u := range m.Touch[beta] {
			got = got || u == e.Touch
		}
		if got != want {
			t.Fatalf("%s on %v: touched %v, by the label %v", text, v, got, want)
		}
	}
}

func (m *TableMethod) signature() string {
	return m.Name + "(" + strings.Join(strings.Split(strings.Join(m.Params, "2 "), " "), ", ") +
		map[bool]string{true: "2"}[len(m.Params) > 0] + ")"
}

// checkDot reads the graph as Graphviz would: strings are closed, brackets match, statements end
// with a semicolon, and edges are between nodes that are declared.
func checkDot(t *testing.T, tb *Table) {
	t.Helper()
	text := tb.Dot()
	fail := func(format string,
		args ...any) {
		t.Helper()
		t.Fatalf(format+"\n%s", append(args, text)...)
	}
	var plain strings.Builder // without what is in strings
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			if i++; !strings.ContainsRune(`\"n`, rune(text[i])) {
				fail("escape %q", text[i-1:i+1])
			}
		case c == '"':
			inside = !inside
			plain.WriteByte('"')
		case inside && (c == '\n' || c == '\t'):
			fail("%q in a string", c)
		case !inside:
			plain.WriteByte(c)
		}
	}
	body, ok := strings.CutPrefix(plain.String(), "digraph \"\" {\n")
	body, end := strings.CutSuffix(body, "}\n")
	if inside || !ok || !end {
		fail("not a graph")
	}
	nodes := map[string]bool{}
	edges := 0
	for _, line := range strings.Split(body, "\n") {
		if line == "" {
			continue
		}
		stmt, ok := strings.CutSuffix(strings.TrimSpace(line), ";")
		if !ok || strings.Count(stmt, "[") != strings.Count(stmt, "]") {
			fail("line %q", line)
		}
		name, _, _ := strings.Cut(stmt, " [")
		if from, to, ok := strings.Cut(name, " -> "); ok {
			if edges++; !nodes[from] || !nodes[to] {
				fail("edge %q", name)
			}
		}
		nodes[name] = true
	}
	want := 0
	for i := range tb.Points {
		for j := range i + 1 {
			if tb.Conflict(i, j) {
				want++
			}
		}
	}
	for _, m := range tb.Methods {
		want += len(m.edges())
	}
	if edges != want {
		fail("%d edges, want %d", edges, want)
	}
}
