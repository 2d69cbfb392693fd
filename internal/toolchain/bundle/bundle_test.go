// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bundle_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/commutego/commute"
	"github.com/commutego/commute/internal/toolchain/bundle"
	"github.com/commutego/commute/internal/toolchain/target"
)

// TestEngine bundles commute's own engine for every kind of target.
func TestEngine(t *testing.T) {
	engine := commute.Engine()
	for _, platform := range []string{"linux/amd64", "darwin/arm64", "windows/amd64", "linux/386",
		"js/wasm", "plan9/arm"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		files, _, err := engine.Bundle(target.Platform{GOOS: goos, GOARCH: goarch})
		if err != nil {
			t.Errorf("%s: %v", platform, err)
		}
		if err == nil && len(files) < 10 {
			t.Errorf("%s: only %d files", platform, len(files))
		}
	}
}

// engine returns an engine of a host package, a package low and a package top
// called runtime, which holds src.
func engine(src string) *bundle.Engine {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return &bundle.Engine{
		FS: fstest.MapFS{
			"host/host.go": file("package host\nimport \"os\"\ntype T struct{ F *int }\nfunc " +
				"Exit() { os.Exit(undefined) }\n"),
			"low/low.go": file("package low\ntype Clock struct{ n int; P *Clock }\nfunc (c " +
				"*Clock) Get() int { return c.n }\nconst Max = 3\n"),
			"low/low_windows.go": file("package low\nconst Windows = true\n"),
			"low/low_test.go":    file("package low\nsyntax error\n"),
			"low/off.go": file("//go:build !commute_bundle\n\npackage low\nimport " +
				"\"fmt\"\nvar _ = fmt.Sprint()\n"),
			"top/top.go": file("package runtime\n" + src),
		},
		Module: "example.com/e",
		Host:   "host",
		Dirs:   []string{"low", "top"},
	}
}

// top bundles src and returns the text of its file, without the line directive.
func top(t *testing.T, src string) (string, error) {
	t.Helper()
	files, _, err := engine(src).Bundle(target.Platform{GOOS: "linux", GOARCH: "amd64"})
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Data,
			parser.ParseComments); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, f.Data)
		}
	}
	last := files[len(files)-1]
	if last.Name != "commute_engine_top_.go" {
		t.Errorf("the last file is %s", last.Name)
	}
	text, ok := strings.CutPrefix(string(last.Data),
		"//line commute/engine/top.go:1:1\npackage runtime\n")
	if !ok {
		t.Errorf("the file begins with %.60q", last.Data)
	}
	return text, nil
}

func TestRewrite(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{
			"names", "type T int\nconst C T = 1\nvar v, w = C, C\nfunc f(v int) T { C := v; _ = " +
				"C; return w }",
			"type commute_engine_T int\nconst commute_engine_C commute_engine_T = 1\n" +
				"var commute_engine_v, commute_engine_w = commute_engine_C, commute_engine_C\n" +
				"func commute_engine_f(v int) commute_engine_T { C := v; _ = C; return " +
				"commute_engine_w }",
		},
		{
			"imports keep lines",
			"import (\n\t\"example.com/e/host\"\n\tx " +
				"\"example.com/e/low\"\n\t\"unsafe\"\n)\nvar p unsafe.Pointer\nfunc f() { " +
				"host.Exit(); var low x.Clock; low.Get(); _ = x.Max }",
			"import (\n\t\n\t\n\t\"unsafe\"\n)\nvar commute_engine_p unsafe.Pointer\nfunc " +
				"commute_engine_f() { commute_host_Exit(); var low commute_low_Clock; low.Get(); " +
				"_ = commute_low_Max }",
		},
		{
			"one import", "import \"example.com/e/low\"\nimport \"unsafe\"\nvar n = low.Max + " +
				"int(unsafe.Sizeof(0))",
			"\nimport \"unsafe\"\nvar commute_engine_n = commute_low_Max + int(unsafe.Sizeof(0))",
		},
		{
			"methods and fields stay",
			"type T struct{ f int }\nfunc (t *T) m() int { return t.f }\nvar f = T{f: 1}\nfunc " +
				"m() { f.m() }",
			"type commute_engine_T struct{ f int }\nfunc (t *commute_engine_T) m() int { return " +
				"t.f }\n" +
				"var commute_engine_f = commute_engine_T{f: 1}\nfunc commute_engine_m() { " +
				"commute_engine_f.m() }",
		},
		{
			"embedded", "import \"example.com/e/low\"\ntype T struct{ low.Clock }\ntype U " +
				"struct{ *T }\nfunc f(u U) int { u.T.Get(); return U{T: &T{Clock: " +
				"low.Clock{}}}.Clock.Get() }",
			"\ntype commute_engine_T struct{ commute_low_Clock }\ntype commute_engine_U struct{ " +
				"*commute_engine_T }\n" +
				"func commute_engine_f(u commute_engine_U) int { u.commute_engine_T.Get(); " +
				"return commute_engine_U{commute_engine_T: &commute_engine_T{commute_low_Clock: " +
				"commute_low_Clock{}}}.commute_low_Clock.Get() }",
		},
		{
			"generics", "type L[T any] struct{ next *L[T]; v T }\nfunc (l *L[T]) get() T { " +
				"return l.v }\nfunc g[T any](l *L[T]) T { return l.get() }\nvar l L[int]\nfunc " +
				"f() { " +
				"g(&l); g[int](&l) }",
			"type commute_engine_L[T any] struct{ next *commute_engine_L[T]; v T }\nfunc (l " +
				"*commute_engine_L[T]) get() T { return l.v }\n" +
				"func commute_engine_g[T any](l *commute_engine_L[T]) T { return l.get() }\nvar " +
				"commute_engine_l commute_engine_L[int]\n" +
				"func commute_engine_f() { commute_engine_g(&commute_engine_l); " +
				"commute_engine_g[int](&commute_engine_l) }",
		},
		{
			"atomics", "import \"sync/atomic\"\nvar n atomic.Uint32\nvar p " +
				"atomic.Pointer[int]\nfunc f() bool { p.Swap(nil); return n.Add(^uint32(0)) == 0 }",
			"\nvar commute_engine_n commute_atomic_Uint32\nvar commute_engine_p " +
				"commute_atomic_Pointer[int]\n" +
				"func commute_engine_f() bool { commute_engine_p.Swap(nil); return " +
				"commute_engine_n.Add(^uint32(0)) == 0 }",
		},
		{
			"directives", "//go:build commute_bundle\n\n//go:nosplit\nfunc f() {} // why",
			"\n\n//go:nosplit\nfunc commute_engine_f() {} // why",
		},
		{
			"linkname", "import _ \"unsafe\"\n//go:nosplit\n//go:linkname f other.f\nfunc f()\n",
			"import _ \"unsafe\"\n//go:nosplit\n//go:linkname commute_engine_f other.f\nfunc " +
				"commute_engine_f()\n",
		},
	}
	for _, test := range tests {
		got, err := top(t, test.src)
		if err != nil || got != test.want {
			t.Errorf("%s: error %v\ngot  %s\nwant %s", test.name, err, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"init", "func init() {}",
			"top/top.go:2:1: an engine package cannot have an init function"},
		{"call", "var x = f()\nfunc f() int { return 1 }",
			"top/top.go:2:9: an engine variable cannot be initialized by a call"},
		{"import", "import \"fmt\"\nvar _ fmt.Stringer",
			"may import unsafe, sync/atomic and the engine packages before it, not fmt"},
		{"dot", "import . \"example.com/e/low\"\nvar _ = Max", "cannot be imported with a dot"},
		{"type", "var x int = \"\"", "top/top.go:2:13: cannot use"},
		{"syntax", "func", "top/top.go:2:"},
		{"atomic function", "import \"sync/atomic\"\nvar n int32\nfunc f() { atomic.AddInt32(&n, " +
			"1) }", "undefined: atomic.AddInt32"},
	}
	for _, test := range tests {
		_, err := top(t, test.src)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// TestCalls has initial values that look like calls and are none at run time.
func TestCalls(t *testing.T) {
	for _, src := range []string{
		"import \"unsafe\"\nvar x = unsafe.Sizeof(0)",
		"type T int\nvar x = T(1)",
		"var x = len([2]int{})",
		"var x = func() int { return f() }\nfunc f() int { return 1 }",
	} {
		if _, err := top(t, src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// TestConstraints has files that belong to some targets.
func TestConstraints(t *testing.T) {
	for goos, want := range map[string]bool{"linux": false, "windows": true} {
		files, _, err := engine("").Bundle(target.Platform{GOOS: goos, GOARCH: "amd64"})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range files {
			found = found || f.Name == "commute_low_low_windows_.go"
			if strings.Contains(f.Name, "_off_") || strings.Contains(f.Name, "_test") {
				t.Errorf("%s: has %s", goos, f.Name)
			}
		}
		if found != want {
			t.Errorf("%s: low_windows.go: %v", goos, found)
		}
	}
}

// Calls of marked functions are the edges of a profile, by the names and lines that they have in
// package runtime: also those in what is inlined itself.
func TestInlined(t *testing.T) {
	const src = `import "example.com/e/low"

//bundle:inline
func grow(c *low.Clock) int {
	return add(c.Get())
}

//bundle:inline
func add(n int) int { return n + 1 }

type T struct{ low.Clock }

func (t *T) Twice(c *low.Clock) int {
	n := grow(c) +
		grow(&t.Clock)
	return func() int { return add(n) }()
}

func (t T) Once() int { return add(1) }
`
	_, profile, err := engine(src).Bundle(target.Platform{GOOS: "linux", GOARCH: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `GO PREPROFILE V1
runtime.(*commute_engine_T).Twice
runtime.commute_engine_add
-8 1
runtime.(*commute_engine_T).Twice
runtime.commute_engine_grow
1 1
runtime.(*commute_engine_T).Twice
runtime.commute_engine_grow
2 1
runtime.commute_engine_T.Once
runtime.commute_engine_add
0 1
runtime.commute_engine_grow
runtime.commute_engine_add
1 1
`
	if string(profile) != want {
		t.Errorf("the profile is\n%swant\n%s", profile, want)
	}
}

// A function that can't be named in a profile, or that nothing calls, is not marked.
func TestInlinedRefused(t *testing.T) {
	for src, want := range map[string]string{
		"//bundle:inline\nfunc id[T any](x T) T { return x }\n\nvar _ = id[int]\n": "generic",
		"//bundle:inline\nfunc unused() {}\n":                                      "nothing calls",
	} {
		_, _, err := engine(src).Bundle(target.Platform{GOOS: "linux", GOARCH: "amd64"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", src, err, want)
		}
	}
}
