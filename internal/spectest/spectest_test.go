// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// refuted is the folder of a module whose specifications are wrong.
const refuted = "../../testdata/refuted"

// wrong has the pairs whose formulas are wrong there.
var wrong = map[string]string{
	"Dict": "Get, Put", "Sized": "Len, Put", "Deleter": "Delete, Delete", "Set": "Add, Add",
	"Table": "LoadOrStore, LoadOrStore",
	"Keyed": "Put, Each", "Stack": "Push, Push", "Queue": "Pop, Pop", "Must": "Push, Pop",
	"LRU": "Get, Get", "Log": "Append, Append",
	"Counter": "Add, Load", "MaxRegister": "Set, Set", "Register": "CompareAndSwap, CompareAndSwap",
	"Account": "Deposit, Withdraw",
	"Scaled":  "Add, Times", "Semaphore": "TryAcquire, TryAcquire", "Config": "Set, Set",
}

func options(dir, pkg string) Options {
	return Options{Dir: dir, Package: pkg, Checks: 1000, Seed: 1, Timeout: time.Minute}
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on PATH")
	}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRefuted checks that every planted fault is found, nothing else is, and that the printed tests
// fail.
func TestRefuted(t *testing.T) {
	r := run(t, options(refuted, "."))
	tests := make(map[string]string)
	for _, typ := range r.Types {
		var pairs []string
		for _, p := range typ.Pairs {
			if p.Refuted != nil {
				pairs = append(pairs, p.First+", "+p.Second)
				tests[typ.Name] = p.Refuted.Test
				t.Logf("%s: %s", typ.Name, p.Refuted.Says)
			}
		}
		if got := strings.Join(pairs, "; "); got != wrong[typ.Name] {
			t.Errorf("%s: refuted are %q, want %q", typ.Name, got, wrong[typ.Name])
		}
	}
	if len(r.Types) != len(wrong) {
		t.Errorf("%d types are tested, want %d", len(r.Types), len(wrong))
	}
	testsFail(t, tests)
}

// testsFail runs the tests, which all have to fail.
func testsFail(t *testing.T, tests map[string]string) {
	dir, err := filepath.Abs(refuted)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	write := func(name, text string) string {
		path := filepath.Join(tmp, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range tests {
		name = strings.ToLower(name) + "_x_test.go"
		overlay.Replace[filepath.Join(dir, name)] = write(name, text)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-overlay", write("overlay.json", string(text)), ".")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	if n := bytes.Count(out, []byte("--- FAIL: TestCommute")); n != len(tests) ||
		bytes.Contains(out, []byte("panic:")) {
		t.Errorf("%d of %d printed tests fail:\n%s", n, len(tests), out)
	}
}

// TestRight checks that right specifications of the same types are not refuted.
func TestRight(t *testing.T) {
	o := options(refuted, ".")
	o.SpecFile = filepath.Join(refuted, "right", "right.ecl")
	r := run(t, o)
	if len(r.Types) != len(wrong) {
		t.Errorf("%d types are tested, want %d", len(r.Types), len(wrong))
	}
	notRefuted(t, r)
}

func notRefuted(t *testing.T, r *Report) {
	t.Helper()
	for _, typ := range r.Types {
		for _, p := range typ.Pairs {
			if p.Refuted != nil {
				t.Errorf("%s: %s is refuted: %s", typ.Name, p.Text, p.Refuted.Says)
			}
			want, most := 1000, 1000
			if typ.Name == "Must" && (p.First == "Pop" || p.Second == "Pop") {
				want = 100 // it panics on an empty stack, and cases in which it does are none
			}
			if slices.ContainsFunc(typ.NoReturn,
				func(e Ended) bool { return e.Method == p.First || e.Method == p.Second }) {
				want, most = 0, 0
			}
			if (p.Cases < want || p.Cases > most) && p.Refuted == nil {
				t.Errorf("%s: %d cases of %s, want %d to %d", typ.Name, p.Cases, p.Text, want, most)
			}
		}
	}
}

// TestSyncMap tests the specification that comes with commute.
func TestSyncMap(t *testing.T) {
	r := run(t, options(".", "sync"))
	if len(r.Types) != 1 || len(r.Types[0].Pairs) != 55 {
		t.Errorf("not the 55 pairs of sync.Map: %v", r)
	}
	notRefuted(t, r)
}

// TestAtomic leaves results that are not used out of the comparison: sums commute but for them.
func TestAtomic(t *testing.T) {
	r := run(t, options(".", "sync/atomic"))
	notRefuted(t, r)
	for _, typ := range r.Types {
		for _, p := range typ.Pairs {
			if p.First == p.Second && p.First == "Add" && p.Held != p.Cases {
				t.Errorf("%s: of %d cases of Add, the formula held in %d",
					typ.Name, p.Cases, p.Held)
			}
		}
	}
}

// TestSeed checks that a seed draws the same cases every time, and another one others.
func TestSeed(t *testing.T) {
	report := func(seed uint64) *Report {
		o := options(refuted, ".")
		o.Type, o.Seed = "Account", seed
		return run(t, o)
	}
	first := report(1)
	if again := report(1); !reflect.DeepEqual(first, again) {
		t.Errorf("with the same seed:\n%s\n%s", text(first), text(again))
	}
	other := report(2)
	other.Seed = 1
	if reflect.DeepEqual(first, other) {
		t.Errorf("with another seed, the same:\n%s", text(first))
	}
}

func text(r *Report) string {
	var b bytes.Buffer
	r.Print(&b)
	return b.String()
}

// module writes a module of one file, and returns its folder.
func module(t *testing.T, src string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestErrors checks that what cannot be tested is said in one error, with a place and what to do.
func TestErrors(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on PATH")
	}
	for name, test := range map[string]struct{ src, want string }{
		"nothing": {"package m\n", "no type of package example.com/m has a specification (see " +
			"commute help spec)"},
		"broken": {"package m\n\nvar x int = \"\"\n",
			"m.go:3:13: cannot use \"\" (untyped string constant) as int value in variable " +
				"declaration (the package has to compile)"},
		"new": {"package m\n\n//ecl:new newT(1)\n//ecl:commute F(), F(): true\ntype T " +
			"struct{}\n\nfunc (*T) F() {}\n",
			"m.go:3:11: newT(1): undefined: newT (write an expression of Go that could stand in " +
				"the package)"},
		"sample": {"package m\n\n//ecl:sample int: x\n//ecl:commute F(x1), F(x2): true\ntype T " +
			"struct{}\n\nfunc (*T) F(int) {}\n",
			"m.go:3:14: x: undefined: x (write an expression of Go that could stand in the " +
				"package)"},
		"unused": {"package m\n\n//ecl:sample int: 7\n//ecl:commute F(x1), F(x2): true\ntype T " +
			"struct{}\n\nfunc (*T) F(string) {}\n",
			"m.go:3:14: no parameter of T's methods is of type int (write the type as the " +
				"method's declaration does)"},
		"mistyped": {"package m\n\n//ecl:sample int: \"a\"\n//ecl:commute F(x1), F(x2): " +
			"true\ntype T struct{}\n\nfunc (*T) F(int) {}\n",
			"m.go:4:15: parameter 1 of method F: m.go:3:14: \"a\" is not a int (give some: " +
				"//ecl:sample and the type, ':' and expressions)"},
		"blocks": {"package m\n\n//ecl:commute Get()/x1, Get()/x2: true\ntype T struct{ c chan " +
			"int }\n\nfunc (t *T) Get() int { return <-t.c }\n",
			"m.go:3:35: Get does not return within 500ms, in: x := new(T); x.Get() (leave a " +
				"method that waits out of the specification, or give it arguments with which it " +
				"does not: " +
				"//ecl:sample; -timeout gives it longer)"},
		"exits": {"package m\n\nimport \"os\"\n\n//ecl:commute Get(), Get(): true\ntype T " +
			"struct{}\n\nfunc (t *T) Get() { os.Exit(3) }\n",
			"m.go:5:29: the program under test ends: exit status 3, in: x := new(T); "},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(module(t, test.src), ".")
			if name == "blocks" {
				o.Timeout = 500 * time.Millisecond
			}
			_, err := Run(o)
			got := strings.TrimPrefix(strings.ReplaceAll(fmt.Sprint(err),
				o.Dir+string(filepath.Separator), ""), "/private")
			if name == "blocks" || name == "exits" {
				// Which call comes first depends on the case.
				got, test.want = strings.ReplaceAll(got, "x.Get(); ", ""),
					strings.ReplaceAll(test.want, "x.Get(); ", "")
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

// TestMade makes a map, and an object whose constructor wants a pointer: zero values are of no use.
func TestMade(t *testing.T) {
	dir := module(t, `package m

// Names is a map.
//
//ecl:commute Put(k1), Put(k2): true
type Names map[string]int

func (n Names) Put(k string) { n[k] = 1 }

// A Log needs a place to write to.
//
//ecl:commute Add(x1), Add(x2): true
type Log struct{ sum *int }

func NewLog(sum *int) *Log { return &Log{sum} }

func (l *Log) Add(x int) { *l.sum += x }
`)
	r := run(t, options(dir, "."))
	notRefuted(t, r)
	for i, want := range []string{"make(Names)", "NewLog(ptr1)"} {
		if typ := r.Types[i]; len(typ.NoReturn) > 0 || !strings.Contains(typ.Note, want) {
			t.Errorf("%s: no call returned of %v; note %q, want %s in it", typ.Name, typ.NoReturn,
				typ.Note, want)
		}
	}
}

// TestNoise checks that a program may print what it likes, end goroutines and leave some behind.
func TestNoise(t *testing.T) {
	dir := module(t, `package m

import (
	"fmt"
	"os"
	"runtime"
)

var out = os.Stdout

// A T is specified, and noisy.
//
//ecl:observer Load()/n
//ecl:commute Add(n1), Add(n2): true
//ecl:commute Add(n1), Load()/n2: n1 == 0
//ecl:commute Exit(), Exit(): true
//ecl:commute Load()/n1, Exit(): true
//ecl:commute Add(n1), Exit(): true
type T struct{ n int }

func (t *T) Exit() {
	defer fmt.Println("bye")
	runtime.Goexit()
}

func (t *T) Load() int {
	go func() { select {} }()
	return t.n
}

func (t *T) Add(n int) {
	fmt.Fprintln(out, "add", n)
	println("add")
	t.n += n
}
`)
	r := run(t, options(dir, "."))
	notRefuted(t, r)
	if got := r.Types[0].NoReturn; !reflect.DeepEqual(got,
		[]Ended{{"Exit", "calls runtime.Goexit"}}) || !r.Untested() {
		t.Errorf("no call returned of %v, want Exit", got)
	}
}
