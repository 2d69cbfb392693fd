// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
	"github.com/commutego/commute/specs"
)

var update = flag.Bool("update", false, "rewrite golden files")

func files(path string, names ...string) *Package {
	return &Package{Source: load.New(load.Config{Path: path, Names: names})}
}

// applied is the only file of a package with the edits.
func applied(t *testing.T, p *Package, out *Output) (got, original []byte) {
	t.Helper()
	name := p.Source.Names[0]
	src, err := p.Source.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = edit.Apply(src, out.Edits[name]); err != nil {
		t.Fatal(err)
	}
	return got, src
}

func compile(t *testing.T, list []*ecl.Spec) (tables []*ecl.Table) {
	t.Helper()
	for _, s := range list {
		tb, err := ecl.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tb)
	}
	return tables
}

// TestSyncMap compares the output for the real sync.Map with its golden file.
func TestSyncMap(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := files("sync", filepath.Join(strings.TrimSpace(string(goroot)), "src/sync/map.go"))
	p.NoDefer = map[string]bool{"Map.Load": true, "Map.Store": true}
	p.Bare = map[string]bool{"Map.Range": true}
	out, err := Generate(p, compile(t, specs.For("sync")))
	if err != nil {
		t.Fatal(err)
	}
	golden := "testdata/syncmap.golden"
	if *update {
		os.WriteFile(golden, out.Added, 0o666)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Added, want) {
		t.Errorf("output differs from %s (run with -update):\n%s", golden, out.Added)
	}
	if n := len(out.Edits[p.Source.Names[0]]); n != 10 {
		t.Errorf("%d edits, want 10", n)
	}
	got, original := applied(t, p, out)
	back := bytes.ReplaceAll(got, []byte(Prefix), nil)
	if !bytes.Equal(back, original) {
		t.Error("the edits change more than names")
	}
	for _, m := range []string{"Load", "Store", "Clear", "LoadOrStore", "LoadAndDelete", "Delete",
		"Swap", "CompareAndSwap", "CompareAndDelete", "Range"} {
		if !bytes.Contains(got, []byte("func (m *Map) commute_"+m+"(")) {
			t.Errorf("%s is not renamed", m)
		}
	}
}

// TestKeepNames compares the twins of one type of the real sync/atomic with their golden file. An
// observer of an open type is announced when it begins, though it is quiet.
func TestKeepNames(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := files("sync/atomic", filepath.Join(strings.TrimSpace(string(goroot)),
		"src/sync/atomic/type.go"))
	p.KeepNames = true
	p.NoDefer = map[string]bool{"Pointer.Load": true, "Pointer.Swap": true, "Value.Store": true}
	list := slices.DeleteFunc(specs.For("sync/atomic"),
		func(s *ecl.Spec) bool { return s.Name != "Pointer" })
	out, err := Generate(p, compile(t, list))
	if err != nil {
		t.Fatal(err)
	}
	golden := "testdata/wrappers.golden"
	if *update {
		os.WriteFile(golden, out.Added, 0o666)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Added, want) {
		t.Errorf("output differs from %s (run with -update):\n%s", golden, out.Added)
	}
	if len(out.Edits) > 0 {
		t.Errorf("%d edits of what is to stay as it is", len(out.Edits))
	}
}

// fakes replace the pull linknames by functions that record.
const fakes = `package box

import "fmt"
import "hash/maphash"
import str "strings"

var seed = maphash.MakeSeed()

func commute_begin(c *commute_Call) { log("begin", c) }

func commute_end(c *commute_Call) {
	log("end", c)
	args := ""
	if c.nargs > 0 {
		for _, a := range (*[8]any)(c.args)[:c.nargs] {
			if f, ok := a.(func(any, any) bool); ok && f != nil {
				a = "f"
			}
			if _, ok := a.([]*str.Builder); ok { a = "builders" }
			args += fmt.Sprintf(" %v", a)
		}
	}
	Log = append(Log, fmt.Sprintf("beta=%d state=%d key=%v args=[%s ]",
		c.beta, c.state, c.keys[0] != 0, args))
	if c.keys[0] != 0 && c.keys[0] != commute_hash("k") {
		Log = append(Log, "BAD KEY")
	}
}

func log(what string, c *commute_Call) {
	Log = append(Log, fmt.Sprintf("%s %d", what, c.method))
	if c.obj == nil { Log = append(Log, "NO OBJ") }
}

func commute_leave(c *commute_Call)  { Log = append(Log, "leave") }
func commute_resume(c *commute_Call) { Log = append(Log, "resume") }

func commute_hash(v any) uint64 {
	m := map[any]bool{}
	_ = m[v]
	return maphash.Comparable(seed, v)
}
func commute_key(v any, c *commute_Call) uint64 { return commute_hash(v) }
func commute_equal(a, b any) (same bool) {
	defer func() { if recover() != nil { same = fmt.Sprint(a) == fmt.Sprint(b) } }()
	return a == b
}

var Log []string
`

// TestRun builds and runs an instrumented package with fake hooks.
func TestRun(t *testing.T) {
	text, err := os.ReadFile("testdata/box.ecl")
	if err != nil {
		t.Fatal(err)
	}
	list, err := ecl.Parse("box.ecl", 1, 1, string(text))
	if err != nil {
		t.Fatal(err)
	}
	p := files("box", "testdata/box/box.go")
	out, err := Generate(p, compile(t, list))
	if err != nil {
		t.Fatal(err)
	}
	added := string(out.Added)
	for _, f := range []string{"begin(c *commute_Call)", "end(c *commute_Call)",
		"leave(c *commute_Call)", "resume(c *commute_Call)", "hash(v interface{}) uint64",
		"key(v interface{}, c *commute_Call) uint64", "equal(a, b interface{}) bool"} {
		name, _, _ := strings.Cut(f, "(")
		pull := "//go:linkname commute_" + name + " runtime.commute_" + name +
			"\n//go:noescape\nfunc commute_" + f + "\n"
		if !strings.Contains(added, pull) {
			t.Fatalf("no pull linkname for %s in\n%s", name, added)
		}
		added = strings.Replace(added, pull, "", 1)
	}
	main, err := os.ReadFile("testdata/box/main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	box, _ := applied(t, p, out)
	for name, src := range map[string]string{
		"go.mod": "module example\n\ngo 1.26\n", "box/box.go": string(box),
		"box/added.go": added, "box/fakes.go": fakes, "main.go": string(main),
	} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, got, added)
	}
	if *update {
		os.WriteFile("testdata/box.out", got, 0o666)
	}
	want, _ := os.ReadFile("testdata/box.out")
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestErrors pins what is said about packages that do not fit their spec.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ spec, src, want string }{
		{"//ecl:observer Get(k)", "type T int",
			"package p: type T has no method Get, which its specification names (t.ecl:2:16)"},
		{"//ecl:observer Get(k)", "func (T) Get(k int) {}\ntype T int",
			"package p: method Get of type T: a value receiver has no identity, only methods " +
				"with pointer receivers can be specified"},
		{"//ecl:observer Get(k)", "func (*T) Get() {}\ntype T int",
			"package p: method Get of type T: it has 0 parameters, its specification names 1"},
		{"//ecl:observer Get(k)/(v)", "func (*T) Get(int) {}\ntype T int",
			"package p: method Get of type T: it has 0 results, its specification names 1"},
		{"//ecl:observer Do(f)\n//ecl:callback Do(f)",
			"import \"q\"\nfunc (*T) Do(f q.F) {}\ntype T int",
			"package p: method Do of type T: its callback f is not declared as a func(...) type"},
	} {
		list, err := ecl.Parse("t.ecl", 1, 1, "//ecl:type p.T\n"+c.spec)
		if err != nil {
			t.Fatal(err)
		}
		p := files("p", "p.go")
		p.Source.Read = func(string) ([]byte, error) { return []byte("package p\n" + c.src), nil }
		_, err = Generate(p, compile(t, list))
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
