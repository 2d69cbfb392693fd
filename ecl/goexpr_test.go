// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"testing"
)

func TestGoExpr(t *testing.T) {
	list, err := Parse("a.ecl", 1, 1, `//ecl:type p.T
//ecl:commute Put(k1, v1)/(p1), Put(k2, v2)/(p2): k1 != k2 || v1 == p1 && v2 == p2
//ecl:commute Put(k1, v1)/(p1), Len()/(n2): !(v1 == nil && p1 == nil)
//ecl:commute Len()/(n1), Len()/(n2): true
//ecl:commute Len()/(n1), Has(k2)/(ok2): (n1 == 0) == ok2
//ecl:commute Has(k1)/(ok1), Put(k2, v2)/(p2): false
//ecl:commute Has(k1)/(ok1), Has(k2)/(ok2): true
//ecl:also Put(k1, v1), Put(k2, v2): v1 == v2
//ecl:also Put(k1, v1), Has(k2)/(ok2): k1 != k2 && !ok2
`)
	if err != nil {
		t.Fatal(err)
	}
	s := list[0]
	want := []string{
		"(differ(0, 0) || (c1[0] && c2[0])) || equal(1, 1, true) || equal(1, 1, true)",
		"!(c1[1] && c1[2])",
		"true",
		"(c1[0] == c2[0])",
		"false || equal(0, 0, false) && !b1[1]",
		"true",
	}
	for i, p := range s.Pairs {
		got := s.GoExpr(p, ExprPrinter{
			Condition: func(call, i int) string { return fmt.Sprintf("c%d[%d]", call, i) },
			Differ:    func(x, y int) string { return fmt.Sprintf("differ(%d, %d)", x, y) },
			Equal: func(x, y int,
				want bool) string {
				return fmt.Sprintf("equal(%d, %d, %v)", x, y, want)
			},
			Boolean: func(call, v int) string { return fmt.Sprintf("b%d[%d]", call, v) },
		})
		if got != want[i] {
			t.Errorf("%s\n%s\nwant %s", p.Text, got, want[i])
		}
		if constant := want[i] == "true" || want[i][:5] == "false"; p.Constant() != constant {
			t.Errorf("%s: constant is %v", p.Text, p.Constant())
		}
	}
	list, err = Parse("f.ecl", 1, 1, unusedSpec)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	w := ExprPrinter{Equal: func(x, y int,
		want bool) string {
		return fmt.Sprintf("equal(%d, %d, %v)", x, y, want)
	}}
	for _, p := range list[0].Pairs {
		if in := list[0].Ignoring(p, w); len(in) > 0 {
			got += fmt.Sprintf("%s: %s, but for %v\n", p.M[0].Name+p.M[1].Name,
				list[0].GoExpr(p, w), in)
		}
	}
	if want := "LoadAdd: false, but for [{true [false true]} {equal(0, 0, true) [true true]}]\n" +
		"AddAdd: false, but for [{true [true false]} {true [false true]}]\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := fmt.Sprint(s.Pairs[0].M[0].Conditions()); got != "[v == p v == nil p == nil]" {
		t.Errorf("conditions %s", got)
	}
}
