// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
)

// tree writes files, whose contents are by their names, to a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const spec = "//ecl:mutator Put(k)\n//ecl:default false\n"

func TestModuleVersion(t *testing.T) {
	dir := tree(t, map[string]string{"vendor/modules.txt": `# example.com/a v1.2.3
## explicit; go 1.20
example.com/a
example.com/a/b
# example.com/c v0.1.0 => ../c
example.com/c
# example.com/d v0.1.0 => example.com/other v0.9.0
example.com/d
`})
	t.Setenv("GOMODCACHE", "/go/pkg/mod")
	vendor := dir + "/vendor/"
	for folder, want := range map[string]string{
		"/go/pkg/mod/example.com/cache/v2@v2.0.1":           "v2.0.1",
		"/go/pkg/mod/example.com/!cache@v2.1.0-!rc.1/inner": "v2.1.0-Rc.1",
		"/go/pkg/mod/example.com/cache@v1.0.0+incompatible": "v1.0.0+incompatible",
		"/home/me/cache":           "",
		"/home/me/cache@v1.0.0":    "", // the user's own, by whatever name
		vendor + "example.com/a":   "v1.2.3",
		vendor + "example.com/a/b": "v1.2.3",
		vendor + "example.com/c":   "",
		vendor + "example.com/d":   "v0.9.0",
		vendor + "example.com/e":   "",
	} {
		if got := ModuleVersion(folder); got != want {
			t.Errorf("%s: %q, want %q", folder, got, want)
		}
	}
}

// TestOf chooses among what is shipped by the version, and adds what is given.
func TestOf(t *testing.T) {
	shipped, err := ecl.Parse("s.ecl", 1, 1,
		"//ecl:module example.com/c >=v1.0.0 <v2.0.0\n//ecl:type example.com/c.T\n"+spec)
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{
		"own.ecl": "//ecl:type Own\n" + spec,
		"given/c.ecl": "//ecl:type example.com/c.U\n" + spec +
			"//ecl:type example.com/x.V\n" + spec,
		"c@v1.5.0/a.go":       "package c",
		"c@v2.0.0/a.go":       "package c",
		"[c]/brackets/it.ecl": "//ecl:type B\n" + spec,
	})
	t.Setenv("GOMODCACHE", dir)
	t.Setenv(Variable, filepath.Join(dir, "given", "c.ecl"))
	names := func(folder string) string {
		set, err := Of("example.com/c", filepath.Join(dir, folder), false, shipped)
		if err != nil {
			t.Error(err)
		}
		var list []string
		for _, s := range slices.Concat(set.Own, set.Given, set.Shipped) {
			list = append(list, s.TypeName())
		}
		return strings.TrimSpace(strings.ReplaceAll(strings.Join(list, " "), "example.com/c.", ""))
	}
	for folder, want := range map[string]string{".": "Own U", "c@v1.5.0": "U T", "c@v2.0.0": "U",
		"[c]/brackets": "B U"} {
		if got := names(folder); got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
}

// TestOnRequest has specifications that apply only where they are asked for, and then are known
// everywhere.
func TestOnRequest(t *testing.T) {
	const path = "sync/atomic"
	for value, want := range map[string]string{"": "[] [] []", path: "[8] [] [8]",
		"sync": "[] [] []"} {
		t.Setenv(Variable, value)
		set, err := Of(path, "", true, specs.For(path))
		if err != nil {
			t.Fatal(err)
		}
		count := func(list []*ecl.Spec) (n []int) {
			if len(list) > 0 {
				n = append(n, len(list))
			}
			return n
		}
		if got := fmt.Sprint(count(set.Given), count(set.Shipped),
			count(set.Requested)); got != want {
			t.Errorf("-spec %s: given, shipped and requested are %s, want %s", value, got, want)
		}
		other, err := Of("example.com/c", "", false, nil)
		if err != nil || len(other.Requested) != len(set.Requested) || len(other.Given) > 0 {
			t.Errorf("-spec %s: another package has %v, %v", value, other, err)
		}
	}
}

// TestGivenForVersions applies a file to the versions that it names, and what is shipped to all.
func TestGivenForVersions(t *testing.T) {
	dir := tree(t, map[string]string{
		"c.ecl": "//ecl:module example.com/c >=v2.0.0 <v3.0.0\n//ecl:type " +
			"example.com/c.T\n" + spec,
		"c@v2.1.0/a.go": "package c",
		"c@v1.0.0/a.go": "package c",
	})
	t.Setenv("GOMODCACHE", dir)
	t.Setenv(Variable, filepath.Join(dir, "c.ecl"))
	if set, err := Of("example.com/c", filepath.Join(dir, "c@v2.1.0"), false, nil); err != nil ||
		len(set.Given) != 1 {
		t.Errorf("%d specifications, %v", len(set.Given), err)
	}
	_, err := Of("example.com/c", filepath.Join(dir, "c@v1.0.0"), false, nil)
	if want := "c.ecl:1:14: the specification of example.com/c.T is for example.com/c >=v2.0.0 " +
		"<v3.0.0, and the module is at v1.0.0 (change the versions, or leave //ecl:module " +
		"out)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	t.Setenv(Variable, "github.com/patrickmn/go-cache")
	if set, err := Of("github.com/patrickmn/go-cache", filepath.Join(dir, "c@v1.0.0"), false,
		nil); err != nil || len(set.Given) == 0 {
		t.Errorf("%d specifications, %v", len(set.Given), err)
	}
}

func TestGiveErrors(t *testing.T) {
	dir := tree(t, map[string]string{
		"empty.ecl":  "# nothing\n",
		"bare.ecl":   "//ecl:type T\n" + spec,
		"wrong.ecl":  "//ecl:type a/b.T\n//ecl:mutator 1\n",
		"good.ecl":   "//ecl:type a/b.T\n" + spec,
		"again.ecl":  "//ecl:type a/b.T\n" + spec,
		"untold.ecl": spec,
	})
	for values, want := range map[string]string{
		"none.ecl": "no such file",
		"sync.Nap": "-spec sync.Nap: no such specification comes with commute",
		"empty.ecl": "empty.ecl:1:1: there is no specification in the file (begin with " +
			"//ecl:type import/path.Name)",
		"bare.ecl": "bare.ecl:1:7: it is not said which package T is of (write " +
			"//ecl:type import/path.T)",
		"untold.ecl":         "untold.ecl:1:7: it is not said whose methods these are",
		"wrong.ecl":          "wrong.ecl:2:15: expected a method name, found '1'",
		"good.ecl again.ecl": "again.ecl:1:7: a/b.T is specified twice, first at ",
		"good.ecl":           "",
		"good.ecl sync":      "",

		// All that is wrong is told at once.
		"none.ecl bare.ecl wrong.ecl": "wrong.ecl:2:15: expected a method name, found '1'",
		"bare.ecl wrong.ecl":          "bare.ecl:1:7: it is not said which package T is of",
		"wrong.ecl none.ecl":          "no such file",
	} {
		t.Setenv(Variable, "")
		var list []string
		for _, v := range strings.Fields(values) {
			if filepath.Ext(v) == ".ecl" {
				v = filepath.Join(dir, v)
			}
			list = append(list, v)
		}
		_, placed, err := Give(list)
		if len(placed) > 0 {
			err = errors.Join(err, placed)
		}
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v\nwant %s", values, err, want)
		}
	}
}

func TestFolderErrors(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.ecl": "//ecl:type other/path.T\n" + spec,
		"b.ecl": "//ecl:module example.com/c >=v1.0.0\n//ecl:type U\n" + spec,
		"c.ecl": "//ecl:typ V\n",
	})
	_, err := Of("example.com/c", dir, false, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"b.ecl:1:14: the package's own specification is for the version that it stands in",
		"c.ecl:1:7: unknown directive //ecl:typ (did you mean //ecl:type?)",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
}

// TestCacheFlags checks that the flags change with the specifications of a package, and only with
// those.
func TestCacheFlags(t *testing.T) {
	dir := tree(t, map[string]string{
		"main/go.mod": "module example.com/main\n\nreplace example.com/near => " +
			"../near\n\nreplace example.com/in => ./in\n",
		"main/a/a.go":              "package a",
		"main/a/a.ecl":             "one",
		"main/a/b.ecl":             "two",
		"main/in/go.mod":           "module example.com/in\n",
		"main/in/x.go":             "package in",
		"main/in/x.ecl":            "three",
		"main/.git/x.go":           "package x",
		"main/.git/x.ecl":          "no",
		"main/vendor/x/x.go":       "package x",
		"main/vendor/x/x.ecl":      "no",
		"main/node_modules/x.go":   "package x",
		"main/node_modules/x.ecl":  "no",
		"main/shipped/x.ecl":       "no", // it is no package
		"main/shipped/x/x.go":      "package x",
		"main/other/go.mod":        "module example.com/other\n",
		"main/other/x.go":          "package other",
		"main/other/x.ecl":         "no", // of a module that is not in the build
		"near/n.go":                "package near",
		"near/n.ecl":               "four",
		"far/go.mod":               "module example.com/far\n",
		"far/f.go":                 "package far",
		"far/f.ecl":                "five",
		"work/go.work":             "go 1.26\nuse ../main\nuse ../far\n",
		"given/g.ecl":              "//ecl:type example.com/dep.T\n" + spec,
		"none/go.mod":              "module example.com/none\n",
		"main/testdata/p/data.go":  "package p",
		"main/testdata/p/data.ecl": "six",
	})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	every := ""
	flags := func(from, work, mod string, own bool) []string {
		list, all, err := CacheFlags(at(from), at(work), at(mod), own)
		if err != nil || len(all) != min(1, len(list)) {
			t.Error(all, err)
		}
		every = strings.Join(all, " ")
		return list
	}
	patterns := func(list []string) string {
		var p []string
		for _, f := range list {
			f = strings.TrimPrefix(f, "-gcflags=")
			name, _, _ := strings.Cut(f, "=-commutespec=")
			p = append(p, name)
		}
		return strings.Join(p, " ")
	}
	t.Setenv(KeyVariable, "")
	first := flags("main", "", "main/go.mod", false)
	if got, want := patterns(first), "../near ./a ./in ./testdata/p"; got != want {
		t.Errorf("patterns %s, want %s", got, want)
	}
	if got, want := patterns(flags("main/a", "", "main/go.mod", false)),
		". ../../near ../in ../testdata/p"; got != want {
		t.Errorf("from another folder: %s, want %s", got, want)
	}
	if got, want := patterns(flags("work", "work/go.work", "", false)),
		"../far ../main/a ../main/in ../main/testdata/p ../near"; got != want {
		t.Errorf("workspace: %s, want %s", got, want)
	}
	if again := flags("main", "", "main/go.mod", false); !slices.Equal(again, first) {
		t.Errorf("changed from\n%s to\n%s", first, again)
	}
	before := every
	if err := os.WriteFile(at("main/a/b.ecl"), []byte("TWO"), 0o666); err != nil {
		t.Fatal(err)
	}
	second := flags("main", "", "main/go.mod", false)
	if first[1] == second[1] || first[0] != second[0] || first[2] != second[2] ||
		every == before || !strings.HasPrefix(every, "-commutespec=") {
		t.Errorf("changed from\n%s %s to\n%s %s", first, before, second, every)
	}
	t.Setenv(Variable, at("given/g.ecl"))
	if got := patterns(flags("none", "", "none/go.mod", false)); got != "example.com/dep" {
		t.Errorf("given: %s", got)
	}
	if list := flags("main", "", "main/go.mod", true); len(list) > 0 ||
		os.Getenv(KeyVariable) == "" {
		t.Errorf("flags %s beside the user's own, key %q", list, os.Getenv(KeyVariable))
	}
}

// TestUnused has files whose packages are in a build, are nearly, and are not.
func TestUnused(t *testing.T) {
	parse := func(name, text string) []*ecl.Spec {
		list, err := ecl.Parse(name, 1, 1, text)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	build := []string{"sync", "example.org/lru", "example.org/m/queue", "github.com/x/cache"}
	typ := func(path string) string { return "//ecl:type " + path + ".T\n" + spec }
	for _, test := range []struct{ text, errs, notes string }{
		{typ("example.org/lru") + typ("sync"), "", ""},
		{typ("example.org/lruu"),
			"x.ecl:1:12: no package example.org/lruu in this build (did you mean example.org/lru?)",
			""},
		{"//ecl:type   example.org/none.T\n" + spec,
			"x.ecl:1:14: no package example.org/none in this build", ""},
		{typ("example.com/cache"),
			"x.ecl:1:12: no package example.com/cache in this build (did you mean " +
				"github.com/x/cache?)", ""},
		{typ("example.org/lru") + typ("example.org/none"), "",
			"x.ecl:4:12: no package example.org/none in this build"},
		{typ("example.org/lru") + typ("example.org/m/quuee"),
			"x.ecl:4:12: no package example.org/m/quuee in this build (did you mean " +
				"example.org/m/queue?)", ""},
		{typ("a.org/none") + strings.Replace(typ("a.org/none"), ".T", ".U", 1),
			"x.ecl:1:12: no package a.org/none in this build", ""},
	} {
		errs, notes := Unused(parse("x.ecl", test.text), build)
		if errs.Error() != test.errs || notes.Error() != test.notes {
			t.Errorf("%s%v\nnotes %v", test.text, errs, notes)
		}
	}
}
