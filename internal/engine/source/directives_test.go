// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// clean has nothing be registered, for the time of a test.
func clean(t testing.TB) {
	Reset()
	t.Cleanup(Reset)
}

func TestDeclare(t *testing.T) {
	clean(t)
	const pkg = "example.com/m.v2"
	Keep(&compiled.Registration{Path: pkg, Sites: []compiled.Site{
		site("a.go", 10, "Load", compiled.GlobalVar, pkg, "cache", "/src/a.go:3"),
		site("a.go", 11, "Load", compiled.StructField, pkg, "Server.cache", "/src/a.go:4"),
		site("a.go", 12, "Load", compiled.Param, pkg, "f.m", "/src/a.go:5"),
		site("a.go", 12, "Load", compiled.LocalVar, pkg, "f.l", "/src/a.go:6"),
		site("a.go", 12, "Store", compiled.GlobalVar, pkg, "other", "/src/a.go:7"),
		site("a.go", 13, "Load", compiled.OtherDecl, "", "", ""),
	}})
	Keep(&compiled.Registration{Path: pkg, Directives: []compiled.Directive{
		{Kind: compiled.Ignore, File: "a.go", Line: 10},
	}})
	Keep(&compiled.Registration{Path: "example.com/n", Sites: []compiled.Site{
		site("a.go", 10, "Load", compiled.StructField, "example.com/n", "wrong", "/src/n.go:1"),
	}})
	in := func(fn, file string, line int) host.Frame {
		return host.Frame{Func: fn, File: file, Line: line}
	}
	for _, test := range []struct {
		fr         host.Frame
		method     string
		kind, name string
		pos        string
	}{
		{in("example.com/m%2ev2.F", "/src/a.go", 10), "Load", "global", "cache", "/src/a.go:3"},
		{in("example.com/m%2ev2.(*T).F.func1", "/src/a.go", 10), "Load", "global", "cache",
			"/src/a.go:3"},
		{in("example.com/m%2ev2.F[...]", `C:\src\a.go`, 11), "Load", "field", "Server.cache",
			"/src/a.go:4"},
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
			t.Errorf("declare(%v, %s) = %s %s %s, want %s %s %s", test.fr, test.method, d.Kind,
				d.Name, d.Pos, test.kind, test.name, test.pos)
		}
	}
}

// TestTwoObjectsOnALine has a line that doesn't tell which of two it is.
func TestTwoObjectsOnALine(t *testing.T) {
	clean(t)
	global := func(line uint32, name, pos string) compiled.Site {
		return site("a.go", line, "Load", compiled.GlobalVar, "m", name, pos)
	}
	Keep(&compiled.Registration{Path: "m", Sites: []compiled.Site{
		global(10, "a", "/src/a.go:3"), global(10, "a", "/src/a.go:3"),
		global(11, "a", "/src/a.go:3"), global(11, "b", "/src/a.go:4"),
	}})
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 10}, "Load"); d.Name != "a" {
		t.Errorf("one object twice on a line: %v", d)
	}
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 11}, "Load"); d.Name != "" ||
		d.Pos != "" {
		t.Errorf("two objects on a line: %v", d)
	}
	Keep(&compiled.Registration{Path: "m", Directives: []compiled.Directive{
		{Kind: compiled.Concurrent, File: "a.go", Line: 4, Decl: "b"},
	}})
	if d := Declare(host.Frame{Func: "m.F", File: "a.go", Line: 11}, "Load"); d.Name != "b" {
		t.Errorf("two objects on a line, one meant to be raced on: %v", d)
	}
}

func TestDirectedAndUnused(t *testing.T) {
	clean(t)
	Keep(&compiled.Registration{
		Path:   "m",
		Tested: true,
		Directives: []compiled.Directive{
			{Kind: compiled.Ignore, File: "a.go", Line: 10},
			{Kind: compiled.Concurrent, File: "a.go", Line: 3, Decl: "cache"},
			{Kind: compiled.Concurrent, File: "a.go", Line: 4, Decl: "Server.cache"},
			{Kind: compiled.Concurrent, File: "a.go", Line: 5, Decl: "f.l"},
			{Kind: compiled.Ignore, File: "a.go", Line: 20},
		},
		Sites: []compiled.Site{
			site("a.go", 10, "Load", compiled.GlobalVar, "m", "cache", "/src/a.go:3"),
		},
	})
	Keep(&compiled.Registration{Path: "dep", Directives: []compiled.Directive{
		{Kind: compiled.Ignore, File: "d.go", Line: 1},
		{Kind: compiled.Ignore, File: "d.go", Line: 2}, // unused, but not of a package under test
	}})
	at := func(file string, line int) host.Frame {
		return host.Frame{Func: "m.F", File: file, Line: line}
	}
	local := func(name, pos string) Declaration {
		return Declaration{Kind: "local", Key: Key{Package: "m", Name: name, Pos: pos}, Pos: pos}
	}
	for _, test := range []struct {
		kind compiled.DirectiveKind
		fr   host.Frame
		decl Declaration
		want bool
	}{
		{"ignore", at("/src/a.go", 10), Declaration{}, true},
		{"ignore", at("/src/a.go", 11), Declaration{}, false},
		{"ignore", at("/src/a.go", 3), Declaration{}, false},
		{"ignore", at("/src/b.go", 10), Declaration{}, false},
		{"ignore", host.Frame{Func: "n.F", File: "/src/a.go", Line: 10}, Declaration{}, false},
		{"concurrent", host.Frame{}, named("m", "cache", "/src/a.go:3"), true},
		{"concurrent", host.Frame{}, named("m", "cache", ""), true},
		{"concurrent", host.Frame{}, named("m", "cach", ""), false},
		{"concurrent", host.Frame{}, named("n", "cache", ""), false},
		{"concurrent", host.Frame{}, named("", "", ""), false},
		{"concurrent", host.Frame{}, local("f.l", "/src/a.go:6"), false},
		{"concurrent", host.Frame{}, local("f.l", "/src/a.go:50"), false},
		{"concurrent", host.Frame{}, local("f.l", "/src/ba.go:5"), false},
		{"concurrent", host.Frame{}, local("f.l", "/src/a.go"), false},
		{"concurrent", host.Frame{}, local("f.l", ""), false},
		{"concurrent", host.Frame{}, local("f.l", "/src/a.go:5"), true},
		{"ignore", host.Frame{Func: "dep.F", File: "d.go", Line: 1}, Declaration{}, true},
	} {
		if got := Directed(test.kind, test.fr, &test.decl); got != test.want {
			t.Errorf("directed(%s, %v, %v) = %v", test.kind, test.fr, test.decl, got)
		}
	}
	var got []string
	list := func(d *compiled.Directive) {
		got = append(got, fmt.Sprintf("%s %s:%d", d.Kind, d.File, d.Line))
	}
	Unused(list)
	if want := "concurrent a.go:4, ignore a.go:20"; strings.Join(got, ", ") != want {
		t.Errorf("unused are %s, want %s", got, want)
	}
	server := named("m", "Server.cache", "")
	Direct("ignore", at("a.go", 20), nil, false)
	got = nil
	Unused(list)
	if len(got) != 2 {
		t.Errorf("unused are %s when one was only asked for", got)
	}
	Directed("concurrent", host.Frame{}, &server)
	Directed("ignore", at("a.go", 20), nil)
	got = nil
	Unused(list)
	if len(got) != 0 {
		t.Errorf("unused are %s when all were used", got)
	}
}

// named is a declaration of some kind.
func named(pkg, name, pos string) Declaration {
	return Declaration{Key: Key{Known: true, Package: pkg, Name: name, Pos: pos}}
}

// TestKeys orders keys and wants the same hash of the same.
func TestKeys(t *testing.T) {
	keys := []Key{
		{}, // nothing is known
		{Known: true},
		{Known: true, Package: "m", Name: "a"},
		{Known: true, Package: "m", Name: "a", Pos: "a.go:3"},
		{Known: true, Package: "m", Name: "ab", Pos: "a.go:1"},
		{Known: true, Package: "m", Name: "b", Pos: "a.go:1"},
		{Known: true, Package: "m/n", Name: "a", Pos: "a.go:1"},
	}
	for i := range keys {
		for j := range keys {
			if got := keys[i].Compare(&keys[j]); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%v and %v compare as %d", keys[i], keys[j], got)
			}
			if i > 1 && (keys[i].Hash() == keys[j].Hash()) != (i == j) {
				t.Errorf("%v and %v have hashes %#x and %#x", keys[i], keys[j], keys[i].Hash(),
					keys[j].Hash())
			}
		}
	}
}

// TestManyDirectives has every third of many be used.
func TestManyDirectives(t *testing.T) {
	clean(t)
	const n = 1000
	r := compiled.Registration{Path: "m", Tested: true}
	for i := range uint32(n) {
		r.Directives = append(r.Directives,
			compiled.Directive{Kind: compiled.Ignore, File: "a.go", Line: i + 1})
	}
	Keep(&r)
	for i := 0; i < n; i += 3 {
		Directed("ignore", host.Frame{Func: "m.F", File: "a.go", Line: i + 1}, nil)
	}
	left := 0
	Unused(func(d *compiled.Directive) {
		if (d.Line-1)%3 == 0 {
			t.Errorf("the directive of line %d counts as unused", d.Line)
		}
		left++
	})
	if left != n-n/3-1 {
		t.Errorf("%d are unused", left)
	}
}

// site is a registered call.
func site(file string, line uint32, method string, kind compiled.DeclKind,
	home, name, pos string) compiled.Site {
	return compiled.Site{File: file, Line: line, Method: method,
		Decl: kind, Home: home, Name: name, Pos: pos}
}
