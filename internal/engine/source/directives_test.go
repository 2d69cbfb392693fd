// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// clean has nothing be registered, for the time of a test.
func clean(t testing.TB) {
	Reset()
	t.Cleanup(Reset)
}

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

func TestDeclare(t *testing.T) {
	clean(t)
	const pkg = "example.com/m.v2"
	Register(siteLine(pkg, "a.go", 10, "Load", "global", pkg, "cache", "/src/a.go:3") +
		siteLine(pkg, "a.go", 11, "Load", "field", pkg, "Server.cache", "/src/a.go:4") +
		siteLine(pkg, "a.go", 12, "Load", "param", pkg, "f.m", "/src/a.go:5") +
		siteLine(pkg, "a.go", 12, "Load", "local", pkg, "f.l", "/src/a.go:6") +
		siteLine(pkg, "a.go", 12, "Store", "global", pkg, "other", "/src/a.go:7") +
		siteLine(pkg, "a.go", 13, "Load", "other", "", "", ""))
	Register("ignore\t" + pkg + "\ta.go\t10\tno site\n" +
		siteLine("example.com/n", "a.go", 10, "Load", "field", "example.com/n", "wrong", "/src/n.go:1"))
	in := func(fn, file string, line int) host.Frame { return host.Frame{Func: fn, File: file, Line: line} }
	for _, test := range []struct {
		fr         host.Frame
		method     string
		kind, name string
		pos        string
	}{
		{in("example.com/m%2ev2.F", "/src/a.go", 10), "Load", "global", "cache", "/src/a.go:3"},
		{in("example.com/m%2ev2.(*T).F.func1", "/src/a.go", 10), "Load", "global", "cache", "/src/a.go:3"},
		{in("example.com/m%2ev2.F[...]", `C:\src\a.go`, 11), "Load", "field", "Server.cache", "/src/a.go:4"},
		{in("example.com/m%2ev2.F", "/src/a.go", 12), "Load", "local", "f.l", "/src/a.go:6"},
		{in("example.com/m%2ev2.F", "/src/a.go", 12), "Store", "global", "other", "/src/a.go:7"},
		{in("example.com/m%2ev2.F", "/src/a.go", 13), "Load", "other", "", ""},
		{in("example.com/m%2ev2.F", "/src/a.go", 10), "Store", "", "", ""},
		{in("example.com/m%2ev2.F", "/src/a.go", 14), "Load", "", "", ""},
		{in("example.com/m%2ev2.F", "/src/b.go", 10), "Load", "", "", ""},
		{in("example.com/m.F", "/src/a.go", 10), "Load", "", "", ""},
		{in("example.com/n.F", "/src/a.go", 10), "Load", "field", "wrong", "/src/n.go:1"},
		{in("", "", 0), "Load", "", "", ""},
	} {
		d := Declare(test.fr, test.method)
		if d.Kind != test.kind || d.Name != test.name || d.Pos != test.pos {
			t.Errorf("declare(%v, %s) = %s %s %s, want %s %s %s", test.fr, test.method, d.Kind, d.Name, d.Pos, test.kind, test.name, test.pos)
		}
	}
}

// TestTwoObjectsOnALine has a line that doesn't tell which of two it is.
func TestTwoObjectsOnALine(t *testing.T) {
	clean(t)
	Register(siteLine("m", "a.go", 10, "Load", "global", "m", "a", "/src/a.go:3") +
		siteLine("m", "a.go", 10, "Load", "global", "m", "a", "/src/a.go:3") +
		siteLine("m", "a.go", 11, "Load", "global", "m", "a", "/src/a.go:3") +
		siteLine("m", "a.go", 11, "Load", "global", "m", "b", "/src/a.go:4"))
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 10}, "Load"); d.Name != "a" {
		t.Errorf("one object twice on a line: %v", d)
	}
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 11}, "Load"); d.Name != "" || d.Pos != "" {
		t.Errorf("two objects on a line: %v", d)
	}
	Register("concurrent\tm\tb\ta.go\t4\twhy\tt\n")
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 11}, "Load"); d.Name != "b" {
		t.Errorf("two objects on a line, one meant to be raced on: %v", d)
	}
}

func TestDirectedAndUnused(t *testing.T) {
	clean(t)
	Register("ignore\tm\ta.go\t10\twhy\tt\n" +
		"site\tm\ta.go\t10\tLoad\tglobal\tm\tcache\t/src/a.go:3\n" +
		"concurrent\tm\tcache\ta.go\t3\twhy\tt\n" +
		"concurrent\tm\tServer.cache\ta.go\t4\twhy\tt\n" +
		"ignore\tm\ta.go\t20\twhy\tt\n")
	Register("ignore\tdep\td.go\t1\tnot of a package under test\n")
	at := func(file string, line int) host.Frame { return host.Frame{Func: "m.F", File: file, Line: line} }
	for _, test := range []struct {
		kind string
		fr   host.Frame
		decl string
		want bool
	}{
		{"ignore", at("/src/a.go", 10), "", true},
		{"ignore", at("/src/a.go", 11), "", false},
		{"ignore", at("/src/a.go", 3), "", false},
		{"ignore", at("/src/b.go", 10), "", false},
		{"ignore", host.Frame{Func: "n.F", File: "/src/a.go", Line: 10}, "", false},
		{"concurrent", host.Frame{}, "m\tcache\t/src/a.go:3", true},
		{"concurrent", host.Frame{}, "m\tcache", true},
		{"concurrent", host.Frame{}, "m\tcach", false},
		{"concurrent", host.Frame{}, "n\tcache", false},
		{"concurrent", host.Frame{}, "", false},
		{"ignore", host.Frame{Func: "dep.F", File: "d.go", Line: 1}, "", true},
	} {
		if got := Directed(test.kind, test.fr, &Declaration{Key: test.decl}); got != test.want {
			t.Errorf("directed(%s, %v, %q) = %v", test.kind, test.fr, test.decl, got)
		}
	}
	var got []string
	list := func(kind, file, line string) { got = append(got, kind+" "+file+":"+line) }
	Unused(list)
	if want := "concurrent a.go:4, ignore a.go:20"; strings.Join(got, ", ") != want {
		t.Errorf("unused are %s, want %s", got, want)
	}
	Directed("concurrent", host.Frame{}, &Declaration{Key: "m\tServer.cache\t"})
	Directed("ignore", at("a.go", 20), nil)
	got = nil
	Unused(list)
	if len(got) != 0 {
		t.Errorf("unused are %s when all were used", got)
	}
}

// TestManyDirectives has more than fit into a few words of bits.
func TestManyDirectives(t *testing.T) {
	clean(t)
	var got strings.Builder
	const n = 1000
	for i := range n {
		fmt.Fprintf(&got, "ignore\tm\ta.go\t%d\twhy\tt\n", i+1)
	}
	Register(got.String())
	for i := 0; i < n; i += 3 {
		Directed("ignore", host.Frame{Func: "m.F", File: "a.go", Line: i + 1}, nil)
	}
	left := 0
	Unused(func(kind, file, line string) {
		if n, _ := text.Number(line); (n-1)%3 == 0 {
			t.Errorf("the directive of line %s counts as unused", line)
		}
		left++
	})
	if left != n-n/3-1 {
		t.Errorf("%d are unused", left)
	}
}

// siteLine is a registered call.
func siteLine(pkg, file string, line int, method, kind, declPkg, decl, pos string) string {
	return strings.Join([]string{"site", pkg, file, fmt.Sprint(line), method, kind, declPkg, decl, pos}, "\t") + "\n"
}
