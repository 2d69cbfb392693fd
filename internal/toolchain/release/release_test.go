// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package release

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/goversion"
)

func replaceOnce(t *testing.T, text, old, new string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, new, 1)
}

// installed is the release on PATH.
func installed(t testing.TB) *goenv.Env {
	t.Helper()
	env, err := goenv.Read("go", nil)
	if err != nil {
		t.Skip(err)
	}
	return env
}

// copied is a GOROOT with nothing but copies of the files that the table of a release names.
func copied(t *testing.T, env *goenv.Env) (goroot string, table *Table) {
	t.Helper()
	minor, _ := goversion.Minor(env.GOVERSION)
	table, err := For(minor)
	if err != nil {
		t.Fatal(err)
	}
	goroot = t.TempDir()
	for _, r := range table.Rows {
		name := filepath.Join("src", filepath.FromSlash(r.Package), r.File)
		data, err := os.ReadFile(filepath.Join(env.GOROOT, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(goroot, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(goroot, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return goroot, table
}

// TestVerify has releases without a table: later ones that differ in nothing, and in one function.
func TestVerify(t *testing.T) {
	env := installed(t)
	goroot, table := copied(t, env)
	last := table.Releases[len(table.Releases)-1]
	next := fmt.Sprintf("go1.%d.99", table.Minor)
	devel := fmt.Sprintf("go1.%d-devel_1a2b3c", table.Minor)
	for version, want := range map[string]string{
		env.GOVERSION: "",
		next:          "",
		devel: fmt.Sprintf("%s is not among the releases that this commute was tested with (%s), "+
			"but has all %d declarations that it relies on as they are in %s: going on",
			devel, goversion.Supported(), len(table.Rows), last),
	} {
		if notice, err := Verify(goroot, version); err != nil || notice != want {
			t.Errorf("%s: %q, %v, want %q", version, notice, err, want)
		}
	}
	file := filepath.Join(goroot, "src", "runtime", "proc.go")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, old, new, want string }{
		{"a comment", "func newproc1(", "// Comments may change.\nfunc newproc1(", ""},
		{"another function", "\nfunc goready(", "\nfunc commuteTest() {}\n\nfunc goready(", ""},
		{
			"a body", "newg.racectx = racegostart(callerpc)", "newg.racectx = racegostart(gopc)",
			fmt.Sprintf("this commute does not know %s: %s:LINE: runtime.newproc1 is not what it "+
				"was in %s; update commute, or set GOTOOLCHAIN=%s for this run",
				next, file, last, last),
		},
		{
			"a name", "func os_beforeExit(", "func os_beforeexit(",
			fmt.Sprintf("this commute does not know %s: %s: runtime.os_beforeExit is not "+
				"declared there, as it was in %s; update commute, or set GOTOOLCHAIN=%s for this "+
				"run",
				next, file, last, last),
		},
	}
	for _, test := range tests {
		text := replaceOnce(t, string(data), test.old, test.new)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		line := strings.Count(text[:strings.Index(text, "\nfunc newproc1(")+1], "\n") + 1
		want := strings.ReplaceAll(test.want, "LINE", fmt.Sprint(line))
		_, err := Verify(goroot, next)
		if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %s", test.name, err, want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(goroot, next); err == nil ||
		!strings.Contains(err.Error(), "is gone, with its file (and ") {
		t.Errorf("no proc.go: %v", err)
	}
}

// TestTables has the tables that are embedded: each is as Format writes it, of releases of its own,
// and is that of the release on PATH if that has one.
func TestTables(t *testing.T) {
	for minor := goversion.First; minor <= goversion.Last; minor++ {
		table, err := For(minor)
		if err != nil {
			t.Fatal(err)
		}
		data, err := tables.ReadFile(FileName(minor))
		if err != nil {
			t.Fatal(err)
		}
		if table.Format() != string(data) {
			t.Errorf("%s is not as checkrelease writes it", FileName(minor))
		}
		for _, version := range table.Releases {
			if m, ok := goversion.Minor(version); !ok || m != minor {
				t.Errorf("%s names %s", FileName(minor), version)
			}
		}
		if len(table.Rows) < 400 ||
			!slices.ContainsFunc(table.Rows,
				func(r Row) bool { return r.String() == "runtime.newproc1" }) {
			t.Errorf("%s has %d rows", FileName(minor), len(table.Rows))
		}
	}
	later, err := For(goversion.Last + 1)
	if err != nil || later.Minor != goversion.Last {
		t.Errorf("a later release is compared with Go 1.%d, %v", later.Minor, err)
	}
	env := installed(t)
	if notice, err := Verify(env.GOROOT, env.GOVERSION); err != nil {
		t.Errorf("%s, %v", notice, err)
	}
}

func TestParseTable(t *testing.T) {
	for text, want := range map[string]string{
		"# nothing\n":                                       "no line says",
		"releases devel\n":                                  `"devel" is no release`,
		"releases go1.26.8\nruntime/a.go\n":                 `line 2 is no row: "runtime/a.go"`,
		"releases go1.26.8\nruntime/a.go\tf\tliked\t12\n":   "line 2 is no row",
		"releases go1.26.8\nruntime/a.go\tf\tpatched\t\n":   "line 2 is no row",
		"releases go1.26.8\nruntime/a.go\tf\tpatched\t12\n": "",
	} {
		_, err := Parse(text)
		if want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	env := installed(b)
	for b.Loop() {
		if _, err := Verify(env.GOROOT, env.GOVERSION); err != nil {
			b.Fatal(err)
		}
	}
}
