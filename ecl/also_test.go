// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"math"
	"strings"
	"testing"
)

const unusedSpec = `//ecl:open
//ecl:observer Load()/v
//ecl:default false
//ecl:callback Each(f)
//ecl:also Load()/v1, Add(d2)/sum2: unused(sum2)
//ecl:also Add(d1)/sum1, Load()/v2: unused(v2) && unused(sum1) && v2 == d1
//ecl:also Add(d1)/sum1, Add(d2)/sum2: unused(sum1)
`

// TestUnused checks all forms of a specification that asks for unused results, and of a type that
// is open.
func TestUnused(t *testing.T) {
	s := parse1(t, unusedSpec)
	for _, spec := range []*Spec{s, parse1(t, s.String())} {
		tb, err := Compile(spec)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(tb.encode(), "\t", " ")
		for _, want := range []string{"\nmethod 0 Load o o ", "\nmethod 1 Each m co ",
			"\nalso 0 2 b~1\nalso 0 2 a~0,b~1,0=0\nalso 2 2 a~1\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		json := strings.Join(strings.Fields(string(tb.JSON())), " ")
		for _, want := range []string{`"open": true`,
			`"conditions": [ "unused(v2)", "unused(sum1)", "d1 == v2" ]`} {
			if !strings.Contains(json, want) {
				t.Errorf("no %s in\n%s", want, json)
			}
		}
		if tb.Commute("Add", "Add", []any{1, 1}, []any{1, 2}) {
			t.Error("calls whose results are known commute as if nobody used them")
		}
	}
}

const alsoSpec = `//ecl:default false
//ecl:mutator P(k, v)/(ok), Q(k)/(done)
//ecl:also P(k1, v1)/ok1, Q(k2)/done2: k1 != k2 && !ok1 && done2
//ecl:also Q(k1)/(done1), P(k2, v2)/(ok2): (k1 == v2) && !done1 && (ok2 && k2 != k1)
//ecl:also P(k1, v1)/(ok1), P(k2, v2)/(ok2): ok1 && !ok2 && v1 != k2
`

// TestAlsoEncode checks the form for the engine, sides swapped where needed, and
// that a printed spec says the same.
func TestAlsoEncode(t *testing.T) {
	want := `also 0 1 0!0,a-2,b+1
also 0 1 1=0,b-1,a+2,0!0
also 0 0 a+2,b-2,1!0
`
	s := parse1(t, alsoSpec)
	for _, spec := range []*Spec{s, parse1(t, s.String())} {
		tb, err := Compile(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for l := range strings.Lines(tb.encode()) {
			if strings.HasPrefix(l, "also") {
				got += strings.ReplaceAll(l, "\t", " ")
			}
		}
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAlsoCommute(t *testing.T) {
	tb, err := Compile(parse1(t, alsoSpec))
	if err != nil {
		t.Fatal(err)
	}
	type vals []any
	slice, nan := []int{1}, math.NaN()
	for _, c := range []struct {
		m1, m2 string
		v1, v2 vals
		want   bool
	}{
		{"P", "Q", vals{1, 2, false}, vals{2, true}, true},
		{"Q", "P", vals{2, true}, vals{1, 2, false}, true},
		{"P", "Q", vals{1, 2, false}, vals{1, true}, false},
		{"P", "Q", vals{1, 2, true}, vals{2, true}, false},
		{"P", "Q", vals{1, 2, true}, vals{2, false}, true}, // the second alternative
		{"P", "Q", vals{1, nil, true}, vals{nil, false}, true},
		{"P", "Q", vals{nil, nil, true}, vals{nil, false}, false},
		{"P", "Q", vals{1, nan, true}, vals{nan, false}, false}, // as in Go
		{"P", "Q", vals{nan, 2, false}, vals{nan, true}, true},
		{"P", "Q", vals{slice, 2, false}, vals{slice, true}, false}, // neither equal nor different
		{"P", "Q", vals{1, slice, true}, vals{slice, false}, false},
		{"P", "P", vals{1, 2, true}, vals{1, 2, false}, true}, // either order
		{"P", "P", vals{1, 2, false}, vals{1, 2, true}, true},
		{"P", "P", vals{1, 2, true}, vals{2, 1, false}, false},
		{"P", "P", vals{1, 2, true}, vals{1, 2, true}, false},
	} {
		if got := tb.Commute(c.m1, c.m2, c.v1, c.v2); got != c.want {
			t.Errorf("%s%v, %s%v: %v, want %v", c.m1, c.v1, c.m2, c.v2, got, c.want)
		}
	}
}
