// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManyInAll has methods none of which is too large.
func TestTooManyInAll(t *testing.T) {
	text := ""
	for m := range 10 {
		f := ""
		for c := range 7 {
			if c > 0 {
				f += " && "
			}
			f += fmt.Sprintf("(a1 < %d || b2 < %d)", c, c)
		}
		text += fmt.Sprintf("//ecl:commute P%d(a1, b1), Q(a2, b2): %s\n", m, f)
	}
	s := parse1(t, "//ecl:default true\n"+text)
	want := "f.ecl:2:15: the specification has 4224 access points, more than 4096: P0 has 384 of " +
		"them, 2^7 for 7 conditions that are valued separately, times 1 + 2 values (use fewer " +
		"conditions on one call)"
	if _, err := Compile(s); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestNeedless has formulas with parts that have no effect.
func TestNeedless(t *testing.T) {
	const call = "//ecl:commute P(k1, v1)/ok1, P(k2, v2)/ok2: "
	for _, row := range [][2]string{
		{"ok1 || !ok1",
			"1:45: ok1 || !ok1 is always true (write true)"},
		{"(k1 != k2 || true)",
			"1:45: (k1 != k2 || true) is always true (write true)"},
		{"k1 != k2 && (false)",
			"1:45: k1 != k2 && (false) is always false (write false)"},
		{"!false",
			"1:45: !false is always true (write true)"},
		{"len(v1) == 0 && ok2 && !(0 == len(v1))",
			"1:45: len(v1) == 0 && ok2 && !(0 == len(v1)) is always false (write false)"},
		{"k1 != k2 || ok1 && (v1 == nil || v1 != nil)",
			"1:65: v1 == nil makes no difference to the formula (leave it out)"},
		{"k1 != k2 || ok1 && ok2 && (nil != v2 || ok2)",
			"1:72: nil != v2 makes no difference to the formula (leave it out)"},
		{"(k1 != k2 || ok1 && ok2) && (ok1 && ok2) || ok2 && ok1",
			"1:46: k1 != k2 makes no difference to the formula (leave it out)"},
		{"(v1 != v1) == (v1 == v1) || k2 != k1",
			"1:46: v1 != v1 makes no difference to the formula (leave it out)"},
		{"true", ""},
		{"(false)", ""},
		{"k1 != k2 || true && ok1 && ok2", ""},
		{"ok1 && v1 == nil && ok2 && v2 == nil || k1 != k2", ""},
		// Atoms are taken as independent: that one of these holds is not seen.
		{"v1 < 0 && v2 < 0 || v1 >= 0 && v2 >= 0 || k1 != k2", ""},
	} {
		f, want := row[0], row[1]
		_, err := Parse("f.ecl", 1, 1, call+f)
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "f.ecl:")
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", f, got, want)
		}
	}
}

// TestNeedlessOnce has a formula of several pairs, which is wrong once.
func TestNeedlessOnce(t *testing.T) {
	_, err := Parse("f.ecl", 1, 1,
		"//ecl:commute {A, B}, {A, B}: true || false\n//ecl:commute _, C(k1): k1 == 1 || k1 != 1")
	want := "f.ecl:1:31: true || false is always true (write true)\nf.ecl:2:25: k1 == 1 || k1 != " +
		"1 is always true (write true)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestNeedlessWide has formulas of more conditions than fit in a word, and than are looked at.
func TestNeedlessWide(t *testing.T) {
	for _, n := range []int{6, 7, 9, maxConstant - 1, maxConstant} {
		f, vain := "", ""
		for i := range n {
			f += fmt.Sprintf(" && a1 < %d", i)
		}
		f = "(" + f[len(" && "):] + ")"
		for i := range n {
			vain += fmt.Sprintf(" || a1 < %d", i)
		}
		text := "//ecl:default true\n//ecl:commute P(a1), Q(b2): " + f
		parse1(t, text)
		for _, c := range []struct{ formula, want string }{
			{text + " && (" + vain[len(" || "):] + ")", ""},
			{text + " || (" + vain[len(" || "):] + ")", ""},
			{text + " || !" + f, "is always true (write true)"},
			{text + " && (b2 == 0 || b2 != 0)",
				"b2 == 0 makes no difference to the formula (leave it out)"},
		} {
			if n == maxConstant && strings.Contains(c.formula, "b2 ==") {
				c.want = ""
			}
			_, err := Parse("f.ecl", 1, 1, c.formula)
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%d conditions: got %v, want %q", n, err, c.want)
			}
		}
	}
}
