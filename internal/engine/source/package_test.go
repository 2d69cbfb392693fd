// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import "testing"

func TestPackageOf(t *testing.T) {
	for fn, want := range map[string]string{
		"main.main":                              "main",
		"main.(*T).F":                            "main",
		"main.T.F-fm":                            "main",
		"main.F.func1":                           "main",
		"main.F.func1.2.F.G":                     "main",
		"main.init.0":                            "main",
		"example.com/m/pkg.F":                    "example.com/m/pkg",
		"example.com/m/pkg.(*T[...]).F":          "example.com/m/pkg",
		"example.com/m/pkg.F[...]":               "example.com/m/pkg",
		"example.com/m/pkg.F[example.com/n/q.T]": "example.com/m/pkg",
		"example.com/m/pkg.F[...].func1":         "example.com/m/pkg",
		"example.com/m/pkg.(*T).F.gowrap1":       "example.com/m/pkg",
		"gopkg.in/yaml%2ev3.F":                   "gopkg.in/yaml%2ev3",
		"gopkg.in/yaml%2ev3.(*T).F":              "gopkg.in/yaml%2ev3",
		"m/vendor/example.com/dep.F":             "m/vendor/example.com/dep",
		"nodot":                                  "nodot",
		"":                                       "",
	} {
		if got := PackageOf(fn); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", fn, got, want)
		}
	}
}

func TestSamePackage(t *testing.T) {
	for _, test := range []struct {
		path, escaped string
		want          bool
	}{
		{"main", "main", true},
		{"gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3", true},
		{"example.com/a%b", "example.com/a%25b", true},
		{"example.com/é", "example.com/%c3%a9", true},
		{"example.com/x\"y", "example.com/x%22y", true},
		{"m/vendor/example.com/dep", "m/vendor/example.com/dep", true},
		{"example.com/dep", "m/vendor/example.com/dep", false},
		{"example.com/m", "example.com/m/n", false},
		{"example.com/m/n", "example.com/m", false},
		{"example.com/m", "example.com/n", false},
		{"", "", true},
		{"a", "", false},
		{"", "a", false},
		{"a", "a%", false},
		{"a%2", "a%2", true}, // no escape
	} {
		if got := samePackage(test.path, test.escaped); got != test.want {
			t.Errorf("samePackage(%q, %q) = %v", test.path, test.escaped, got)
		}
	}
}
