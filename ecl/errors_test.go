// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import "testing"

// TestErrors pins every message, with its place.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"equality between calls", "//ecl:commute P(k1), P(k2): k1 == k2",
			"f.ecl:1:29: k1 == k2 is outside ECL: between two calls S has only x1 != y2 " +
				"(two-sided equality may stand in //ecl:also; for two booleans write x && y " +
				"|| !x && !y)"},
		{"negated disequality", "//ecl:commute P(k1), P(k2): true && !(k1 != k2)",
			"f.ecl:1:39: k1 != k2 is outside ECL: between two calls S has only x1 != y2 " +
				"(two-sided equality may stand in //ecl:also; for two booleans write x && y " +
				"|| !x && !y)"},
		{"X || X", "//ecl:commute P(k1, v1), P(k2, v2): k1 != k2 || v1 != v2",
			"f.ecl:1:37: k1 != k2 || v1 != v2 is outside ECL: X || B: only one side of || may " +
				"compare values of the two calls ('k1 != k2' and 'v1 != v2' both do)"},
		{"comparison of two calls", "//ecl:commute P(k1), P(k2): k1 < k2",
			"f.ecl:1:29: k1 < k2 is outside ECL: an atom's variables must come from one call " +
				"(between calls only x1 != y2 of two variables is allowed)"},
		{"terms of two calls", "//ecl:commute P(k1), P(k2): len(k1) != len(k2)",
			"f.ecl:1:29: len(k1) != len(k2) is outside ECL: an atom's variables must come from " +
				"one call (between calls only x1 != y2 of two variables is allowed; give the " +
				"value as a result of its own)"},
		{"condition with X", "//ecl:commute P(k1), P(k2): (k1 != k2) == true",
			"f.ecl:1:29: (k1 != k2) == true is outside ECL: conditions may only be compared in " +
				"B, without values of the other call (spell it out with && and ||)"},
		{"unknown variable", "//ecl:commute P(k1), P(k2): q",
			"f.ecl:1:29: unknown variable q (name it in one of the two calls)"},
		{"duplicate variable", "//ecl:commute P(k1, k1), P(k2, v2): true",
			"f.ecl:1:21: duplicate variable k1 (every value of a call has its own name, or _)"},
		{"shared variable", "//ecl:commute P(k), P(k): true",
			"f.ecl:1:23: duplicate variable k: both calls name it (number the values of the two " +
				"calls, as in k1 and k2)"},
		{"pair twice", "//ecl:commute P(), Q(): true\n//ecl:commute Q(), P(): true",
			"f.ecl:2:15: the pair Q, P is given twice, first at f.ecl:1:15"},
		{"missing pair", "//ecl:commute P(), P(): true\n//ecl:commute Q(a), Q(b): true",
			"f.ecl:1:7: no formula for the pair P, Q (add //ecl:commute P(), Q(a): ..., or " +
				"//ecl:default false)"},
		{"not symmetric", "//ecl:commute P(k1, v1)/p1, P(k2, v2)/p2: k1 != k2 || v1 == p1",
			"f.ecl:1:43: the formula of P with itself is not symmetric: with k1 == k2, v1 == p1, " +
				"v2 != p2 it is true, and false when the calls change places (two calls commute " +
				"or not, whichever is called the first)"},
		{"crossed disequality", "//ecl:commute P(a1, b1), P(a2, b2): a1 != b2",
			"f.ecl:1:37: the formula of P with itself is not symmetric: with a1 != b2, b1 == a2 " +
				"it is true, and false when the calls change places (two calls commute or not, " +
				"whichever is called the first)"},
		{"parameters", "//ecl:commute P(k1), P(k2, v2): true",
			"f.ecl:1:22: P has 2 parameters here, but 1 at f.ecl:1:15 (the same number " +
				"everywhere; _ for what is not needed)"},
		{"results", "//ecl:commute P()/a, P()/(b, c): true",
			"f.ecl:1:22: P has 2 results here, but 1 at f.ecl:1:15 (the same number everywhere; " +
				"_ for what is not needed)"},
		{"syntax", "//ecl:commute P(k1), P(k2): k1 != ",
			"f.ecl:1:34: expected operand, found the end of the line"},
		{"no formula", "//ecl:commute P(k1), P(k2):",
			"f.ecl:1:28: expected a formula, found the end of the line"},
		{"no colon", "//ecl:commute P(k1), P(k2) true",
			"f.ecl:1:28: expected ':' and a formula, found 'true'"},
		{"no second call", "//ecl:commute P(k1): true",
			"f.ecl:1:20: expected ',' and a second call, found ':'"},
		{"no list", "//ecl:commute P, P(): true",
			"f.ecl:1:15: P has no parameter list, expected P(...)"},
		{"not a condition", "//ecl:commute P(k1), P(k2): k1 + 1",
			"f.ecl:1:29: k1 + 1 is not a condition (compare it with something)"},
		{"constant", "//ecl:commute P(k1), P(k2): 1 < 2",
			"f.ecl:1:29: 1 < 2 mentions no value of a call (write true or false)"},
		{"call", "//ecl:commute P(k1), P(k2): f(k1) == 1",
			"f.ecl:1:29: f(k1) is not allowed in an atom (atoms are made of variables, " +
				"constants, nil, arithmetic, comparisons and len)"},
		{"division", "//ecl:commute P(k1, v1), P(k2, v2): k1 / v1 == 1",
			"f.ecl:1:37: k1 / v1 could panic (use a constant that is not zero)"},
		{"unknown directive", "//ecl:comute P",
			"f.ecl:1:7: unknown directive //ecl:comute (did you mean //ecl:commute?)"},
		{"space", "// ecl:commute P",
			"f.ecl:1:1: a directive has no space after // (write //ecl: without the space)"},
		{"no directive", "commute P", "f.ecl:1:1: this line is not a directive (start it with " +
			"//ecl:, or with # or // if it is a comment)"},
		{"type", "//ecl:type sync.", "f.ecl:1:12: 'sync.' is not a type, as in sync.Map (write " +
			"the import path, a dot and the type's name)"},
		{"also", "//ecl:also P(k1), P(k2): k1 <= k2",
			"f.ecl:1:7: no formula for the pair P, P (add //ecl:commute P(k), P(k): ..., or " +
				"//ecl:default false)\nf.ecl:1:26: an also directive is a conjunction " +
				"of x1 == y2 " +
				"and x1 != y2 between the two calls, of boolean variables and their " +
				"negations, and " +
				"of unused(r1) (other conditions belong into //ecl:commute)"},
		{"also: one call", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): k1 != k2 " +
			"&& v1 == k1",
			"f.ecl:2:46: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"also: disjunction", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): k1 || v2",
			"f.ecl:2:34: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"also: constant", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): k1 && v2 == nil",
			"f.ecl:2:40: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"also: true", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): true",
			"f.ecl:2:34: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"also: negation", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): !(k1 == k2)",
			"f.ecl:2:34: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"also: unknown variable", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): k1 " +
			"&& k2 != q", "f.ecl:2:46: unknown variable q (name it in one of the two calls)"},
		{"also: unknown boolean", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): !q",
			"f.ecl:2:35: unknown variable q (name it in one of the two calls)"},
		{"also: conditions", "//ecl:default true\n//ecl:also P(k1, v1), P(k2, v2): k1 && k1 && " +
			"k1 && k1 && k1 && k1 && !v2",
			"f.ecl:2:70: an also directive has more than 6 conditions (use fewer, or another " +
				"also directive)"},
		{"also: alternatives", "//ecl:default true\n//ecl:also P(k1), Q(k2): k1\n//ecl:also " +
			"P(k1), Q(k2): k1\n//ecl:also Q(k1), P(k2): k1\n//ecl:also Q(k1), P(k2): k1\n" +
			"//ecl:also Q(k1), P(k2): k1\n",
			"f.ecl:6:12: the pair Q, P has more than 4 also directives (join them, or leave the " +
				"rarest out)"},
		{"unused: expression", "//ecl:default true\n//ecl:also P(k1)/r1, Q(k2): unused(r1 + 1)",
			"f.ecl:2:36: unused is about one result of a call (name the result of a method that " +
				"returns one, as in Add(d1)/new1)"},
		{"unused: parameter", "//ecl:default true\n//ecl:also P(k1)/r1, Q(k2): unused(k2)",
			"f.ecl:2:36: k2 is a parameter of Q, and no result (name the result of a method that " +
				"returns one, as in Add(d1)/new1)"},
		{"unused: shadow", "//ecl:default true\n//ecl:shadow P(k)/(r; s): q(k)\n//ecl:also " +
			"P(k1)/(r1, s1), Q(k2): unused(s1)",
			"f.ecl:3:42: s1 is a shadow result, which P does not return (name the result of a " +
				"method that returns one, as in Add(d1)/new1)"},
		{"unused: several", "//ecl:default true\n//ecl:also P(k1)/(r1, ok1), Q(k2): unused(r1)",
			"f.ecl:2:43: P returns 2 results, which its caller may use in part (name the result " +
				"of a method that returns one, as in Add(d1)/new1)"},
		{"unused: unknown", "//ecl:default true\n//ecl:also P(k1)/r1, Q(k2): unused(r2)",
			"f.ecl:2:36: unknown variable r2 (name it in one of the two calls)"},
		{"unused: negated", "//ecl:default true\n//ecl:also P(k1)/r1, Q(k2): !unused(r1)",
			"f.ecl:2:29: an also directive is a conjunction of x1 == y2 and x1 != y2 between the " +
				"two calls, of boolean variables and their negations, and of unused(r1) (other " +
				"conditions belong into //ecl:commute)"},
		{"unused: commute", "//ecl:default true\n//ecl:commute P(k1)/r1, Q(k2): unused(r1)",
			"f.ecl:2:32: unused(r1) is not a condition (compare it with something)"},
		{"open: more", "//ecl:default true\n//ecl:open P\n//ecl:observer P",
			"f.ecl:2:12: expected the end of the line, found 'P' (it is about all methods " +
				"of the type)"},
		{"open: twice", "//ecl:default true\n//ecl:open\n//ecl:open // again\n//ecl:observer P",
			"f.ecl:3:7: it is said already that the type is open (leave one out)"},
		{"role twice", "//ecl:observer P, P",
			"f.ecl:1:19: P has a role already: observer, at f.ecl:1:16"},
		{"shadow", "//ecl:shadow P(k): q(k)", "f.ecl:1:14: P has no shadow results (name them, " +
			"as in Store(k, v)/(p, loaded): Swap(k, v))"},
		{"callback", "//ecl:observer P(f)\n//ecl:callback P(g)",
			"f.ecl:2:16: P has no parameter g (name one of f)"},
		{"default", "//ecl:default maybe", "f.ecl:1:15: expected true or false, found 'maybe'"},
		{"set: syntax", "//ecl:commute {P(k)}, Q(): true",
			"f.ecl:1:17: expected ',' or '}', found '(' (a set has names only, as in {Get, Has})"},
		{"set: also", "//ecl:also {P}, Q(k2): k2",
			"f.ecl:1:12: expected a call (sets and _ are for //ecl:commute)"},
		{"wildcard: both", "//ecl:commute _, _: true",
			"f.ecl:1:15: a formula for all pairs (write //ecl:default)"},
		{"wildcard: symmetry", "//ecl:observer Q()\n//ecl:commute P(a1)/ok1, _: ok1",
			"f.ecl:2:29: the formula of P with itself is not symmetric: with ok1, !ok2 it is " +
				"true, and false when the calls change places (two calls commute or not, " +
				"whichever is called the first)"},
		{"family: twice", "//ecl:mutator P, Q\n//ecl:commute {P}, {P, Q}: true\n//ecl:commute " +
			"{Q}, {P, Q}: false",
			"f.ecl:3:15: the pair Q, P is given twice, first at f.ecl:2:28 (give it in a " +
				"directive of its own)"},
		{"group: twice", "//ecl:group R(k): P(k)\n//ecl:group R(k): Q(k)",
			"f.ecl:2:13: group R is defined twice, first at f.ecl:1:13"},
		{"group: method", "//ecl:observer R(k)\n//ecl:group R(k): Q(k)",
			"f.ecl:2:13: R is named as a method at f.ecl:1:16 (a group is defined before it is " +
				"used, and is no method)"},
		{"group: value", "//ecl:group R(k): Q(x)",
			"f.ecl:1:19: Q has no value called k, as the group has (name it, or leave " +
				"it out of R)"},
		{"group: use", "//ecl:default true\n//ecl:group R(k)/v: Q(k)/v\n//ecl:commute R(k1, " +
			"x1)/v1, R(k2)/v2: true",
			"f.ecl:3:15: the group is R(k)/(v), at f.ecl:2:13 (write it as there, or _ for what " +
				"is not needed)"},
		{"group: elsewhere", "//ecl:default true\n//ecl:group R(k): Q(k)\n//ecl:also R(k1), " +
			"Q(k2): k1 == k2",
			"f.ecl:3:12: R is a group, defined at f.ecl:2:13 (name the methods themselves here)"},
		{"constant: clash", "//ecl:default true\n//ecl:observer P(limit)\n//ecl:commute P(k1), " +
			"Q(k2): k2 < limit",
			"f.ecl:3:34: unknown variable limit: elsewhere it is a value of P (name it in the " +
				"call, or give the values of P other names everywhere)"},
		{"constant: of a package", "//ecl:default true\n//ecl:commute P(k1), Q(k2): k2 < " +
			"math.MaxInt",
			"f.ecl:2:34: math.MaxInt is neither a field of a call's value nor a constant of the " +
				"package (give the constant a name in this package)"},
		{"module: path", "//ecl:module Bad >=v1.0.0",
			"f.ecl:1:14: 'Bad' is not a module path (write the path as go.mod has it)"},
		{"module: version", "//ecl:module example.com/a >=1.0",
			"f.ecl:1:14: '1.0' is not a version (write all of it, as in v1.2.0)"},
		{"module: comparison", "//ecl:module example.com/a v1.0.0",
			"f.ecl:1:14: 'v1.0.0' does not compare a version (write >=v1.2.0, for example)"},
		{"module: none", "//ecl:module example.com/a",
			"f.ecl:1:14: expected a module's path and versions (as in //ecl:module " +
				"example.com/cache >=v1.2.0 <v2.0.0)"},
		{"identity", "//ecl:identity a[1]", "f.ecl:1:16: 'a[1]' is not a field (name a field " +
			"that is a pointer, map, channel or slice)"},
		{"new", "//ecl:new f(", "f.ecl:1:13: expected ')', found the end of the line"},
		{"sample", "//ecl:sample int: 1, ,", "f.ecl:1:22: expected operand, found ','"},
		{"sample: none", "//ecl:sample int", "f.ecl:1:14: expected a type, ':' and values (as in " +
			"//ecl:sample time.Duration: 0, time.Hour)"},
		{"object", "//ecl:object net/http", "f.ecl:1:14: 'net/http' is not a package-level " +
			"variable, as in net/http.DefaultServeMux (write the import path, a dot and the " +
			"variable's name)"},
		{"rest: pairs", "//ecl:commute P(k1), Q(k2): k1 <> k2\n//ecl:commute P(k1), P(k2): k1 < " +
			"k2\n//ecl:commute Q(k1), Q(k2): true\n//ecl:commute Q(k1), R(k2): " +
			"true\n//ecl:commute R(k1), R(k2): true",
			"f.ecl:1:7: no formula for the pair P, R (add //ecl:commute P(k), R(k): ..., or " +
				"//ecl:default false)\n" +
				"f.ecl:1:33: expected operand, found '>'\n" +
				"f.ecl:2:29: k1 < k2 is outside ECL: an atom's variables must come from one call " +
				"(between calls only x1 != y2 of two variables is allowed)"},
		{"rest: roles", "//ecl:observer P(k1) Q(k1)\n//ecl:commute P(k1), Q(k2): true",
			"f.ecl:1:22: expected ',' or the end of the line, found 'Q'"},
		{"base position", "\t//ecl:observer 1", "f.ecl:1:17: expected a method name, found '1'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f.ecl", 1, 1, c.text)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	_, err := Parse("t.go", 10, 5, "//ecl:observer 1\n//ecl:observer 2")
	want := "t.go:10:20: expected a method name, found '1'\nt.go:11:16: expected a method " +
		"name, found '2'"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// TestTooMany checks the guard against huge beta vectors.
func TestTooMany(t *testing.T) {
	f := ""
	for i, c := range "abcdefghijklm" {
		if i > 0 {
			f += " || "
		}
		f += string(c) + "1"
	}
	f = "(" + f + ") && z2"
	s := parse1(t, "//ecl:default true\n//ecl:commute P(a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, "+
		"k1, l1, m1), Q(z2): "+f)
	if _, err := Compile(s); err != nil {
		t.Errorf("consolidated: %v", err)
	}
	f = ""
	for i, c := range "abcdefghijklm" {
		if i > 0 {
			f += " && "
		}
		f += "(" + string(c) + "1 || " + string(c) + "2)"
	}
	s = parse1(t, "//ecl:default true\n//ecl:commute P(a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, "+
		"k1, l1, m1), Q(a2, b2, c2, d2, e2, f2, g2, h2, i2, j2, k2, l2, m2): "+f)
	want := "f.ecl:2:15: the specification has 229376 access points, more than 4096: P has " +
		"114688 of them, 2^13 for 13 conditions that are valued separately, times 1 + 13 values " +
		"(use fewer conditions on one call)"
	if _, err := Compile(s); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestAccepted lists formulas that are in ECL after normalisation.
func TestAccepted(t *testing.T) {
	for _, f := range []string{
		"(v1 == p1 && v2 == p2) || k1 != k2",
		"!(k1 == k2) || !!(v1 == p1) && v2 == p2",
		"!(k1 == k2 && (v1 != p1 || v2 != p2))",
		"k2 != k1 && len(v1) + 1 > 0 && 0 < len(v2) + 1",
		"k1 != k2 || (v1 == nil) == (v2 == nil)",
		"v1 == p1 && v2 == p2 || k1 != k2 || v1 == nil && v2 == nil",
	} {
		parse1(t, "//ecl:commute P(k1, v1)/p1, P(k2, v2)/p2: "+f)
	}
}
