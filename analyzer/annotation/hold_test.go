// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
)

// declaring is a package that specifications are held against.
const declaring = `package p

const Limit = 3

type Box struct{ n int }

func (b *Box) Put(k int) (old int, err error) { return }
func (b *Box) Get(k int) int                  { return 0 }
func (b *Box) Each(f func(int))               {}
func (b *Box) Every(f Visitor)                {}
func (b *Box) Safe()                          { defer func() { recover() }(); recover() }
func (b *Box) asm(k int)
func (b Box) Value() int                      { return b.n }

type Visitor func(int) bool

type Handle struct{ box *Box; name string }

func (h Handle) Get(k int) int { return 0 }

type Other = Box

type Store interface {
	Put(k int) (int, error)
	Get(k int) int
}

type Wide interface{ Store }

var table map[int]int

func Set(k, v int) {}
func Read(k int) int { return 0 }
func init() {}
`

func parsed(t *testing.T, text string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, []*ast.File{file}
}

// TestHold checks specifications against a package. Those without errors are kept, and all errors
// of the others are reported.
func TestHold(t *testing.T) {
	_, files := parsed(t, declaring)
	for _, test := range []struct{ spec, want string }{
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k)\n//ecl:observer Get(k)/v", ""},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Each(f)\n//ecl:callback Each(f)", ""},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Every(f)\n//ecl:callback Every(f)",
			""},
		{"//ecl:type Handle\n//ecl:default false\n//ecl:identity box\n//ecl:observer Get(k)/v", ""},
		{"//ecl:type Store\n//ecl:default false\n//ecl:mutator Put(k)", ""},
		{"//ecl:type Wide\n//ecl:default false\n//ecl:mutator Put(k)", ""},
		{"//ecl:object table\n//ecl:default false\n//ecl:mutator Set(k, v)\n" +
			"//ecl:observer Read(k)/v", ""},

		{"//ecl:type Crate\n//ecl:default false\n//ecl:mutator Put(k)", "there is no type Crate"},
		{"//ecl:type Other\n//ecl:default false\n//ecl:mutator Put(k)", "Other is an alias"},
		{"//ecl:object tabel\n//ecl:default false\n//ecl:mutator Set(k, v)",
			"there is no package-level variable tabel"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Putt(k)",
			"Box declares no method Putt (did you mean Put?)"},
		{"//ecl:type Store\n//ecl:default false\n//ecl:mutator Putt(k)",
			"Store declares no method Putt (did you mean Put?)"},
		{"//ecl:object table\n//ecl:default false\n//ecl:mutator Sett(k, v)",
			"the package declares no function Sett (did you mean Set?)"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:observer Value()/n",
			"method Value of Box has a value receiver"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator asm(k)",
			"method asm of Box has no body in Go"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k, v)",
			"method Put of Box has 1 parameter, not 2"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k)/(v)",
			"method Put of Box has 2 results, not 1"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Safe()",
			"method Safe of Box calls recover"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Each(f)",
			"method Each of Box has a function for a parameter, which runs inside the call " +
				"(say which with //ecl:callback Each(f))"},
		{"//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k)\n//ecl:callback Put(k)",
			"method Put of Box has a callback, k, whose type is no func in sight"},
		{"//ecl:object table\n//ecl:default false\n//ecl:mutator init()",
			"function init is called by the runtime"},
		{"//ecl:type Store\n//ecl:default false\n//ecl:identity x\n//ecl:mutator Put(k)",
			"Store needs no identity"},
		{"//ecl:type Handle\n//ecl:default false\n//ecl:identity name\n//ecl:observer Get(k)/v",
			"name cannot tell objects apart"},
		{"//ecl:type Handle\n//ecl:default false\n//ecl:identity none\n//ecl:observer Get(k)/v",
			"none cannot tell objects apart"},
		{"//ecl:type Box\n//ecl:mutator Put(k)\n//ecl:commute Put(k1), Put(k2): k1 < Limit && " +
			"k2 < Limit", ""},
		{"//ecl:type Box\n//ecl:mutator Put(k)\n//ecl:commute Put(k1), Put(k2): k1 < Limt " +
			"&& k2 < Limt",
			"unknown variable Limt (name it in one of the two calls, or did you mean Limit?)"},
	} {
		specs, err := ecl.Parse("p.ecl", 1, 1, test.spec)
		if err != nil {
			t.Errorf("%s: %v", test.spec, err)
			continue
		}
		good, errs := Hold(files, specs)
		if (len(good) == 1) != (test.want == "") || (len(errs) > 0) != (test.want != "") ||
			len(errs) > 0 && !strings.Contains(errs.Error(), test.want) {
			t.Errorf("%s\ngot  %v\nwant %s", test.spec, errs, test.want)
		}
	}
}

// TestTwice has one type specified by two files.
func TestTwice(t *testing.T) {
	_, files := parsed(t, declaring)
	var specs []*ecl.Spec
	for _, name := range []string{"a.ecl", "b.ecl"} {
		list, err := ecl.Parse(name, 1, 1,
			"//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k)\n")
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, list...)
	}
	good, errs := Hold(files, specs)
	if len(good) != 1 || !strings.Contains(errs.Error(),
		"Box is specified twice, first at a.ecl:1:") {
		t.Errorf("%v, %v", good, errs)
	}
}

// TestFolder reads the .ecl files of a folder. Specifications for another package are for -spec,
// and an error is reported with its cause.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[p]*") // a name that means something in a pattern
	os.Mkdir(dir, 0o777)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Folder(dir, "example.com/p"); err != nil || len(list) > 0 {
		t.Errorf("an empty folder: %v, %v", list, err)
	}
	write("a.ecl", "//ecl:type Box\n//ecl:default false\n//ecl:mutator Put(k)\n")
	write("b.ecl", "//ecl:type example.com/q.Crate\n//ecl:default false\n//ecl:mutator Put(k)\n")
	list, err := Folder(dir, "example.com/p")
	if err != nil || len(list) != 1 || list[0].TypeName() != "example.com/p.Box" {
		t.Errorf("%v, %v", list, err)
	}
	write("c.ecl", "//ecl:type Handle\n//ecl:observer Gett(k)/v\n//ecl:mutator Name()\n")
	list, err = Folder(dir, "example.com/p")
	wrong, ok := err.(ecl.Errors)
	if !ok || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	_, files := parsed(t, declaring)
	blamed := Blame(files, list, wrong).Error()
	if !strings.Contains(blamed, "Handle declares no method Gett (did you mean Get?)") ||
		strings.Contains(blamed, "no formula for the pair Gett") {
		t.Errorf("blamed\n%s", blamed)
	}
	write("c.ecl", "//ecl:default false\n//ecl:observer Get(k)\n")
	if _, err := Folder(dir, "example.com/p"); err == nil ||
		!strings.Contains(err.Error(), "it is not said whose methods these are") {
		t.Errorf("no type: %v", err)
	}
	write("c.ecl", "//ecl:module example.com/p <v2.0.0\n//ecl:type Handle\n//ecl:default false\n"+
		"//ecl:observer Get(k)\n")
	if _, err := Folder(dir, "example.com/p"); err == nil ||
		!strings.Contains(err.Error(), "is for the version that it stands in") {
		t.Errorf("a version: %v", err)
	}
}

const generic = `package p

type Store[K comparable] interface{ Put(k K) }

type Mem[K comparable] struct{ m map[K]bool }

func (m *Mem[K]) Put(k K) {}

type Pair[K comparable, V any] struct{}

func (p *Pair[K, V]) Put(k K) {}

type Closer interface{ Close() }

type File struct{ head *File; size int }

func (f File) Close() {}

func (f *File) Grow(by File) (ok bool) { return true }

type Name struct{}

type Empty interface{}
`

func checked(t *testing.T, text string) *types.Package {
	t.Helper()
	fset, files := parsed(t, text)
	conf := types.Config{Importer: importer.Default()}
	pkg, err := conf.Check("example.com/p", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// TestImplementing lists the types that have the methods of an interface.
func TestImplementing(t *testing.T) {
	pkg := checked(t, generic)
	for _, test := range []struct {
		path, name string
		want       []string
	}{
		{"example.com/p", "Store", []string{"Mem"}},
		{"example.com/p", "Closer", []string{"File"}},
		{"example.com/p", "Empty", nil}, // all types have none of its methods
		{"example.com/p", "File", nil},
		{"example.com/p", "None", nil},
		{"example.com/q", "Store", nil},
	} {
		if got := Implementing(pkg, test.path, test.name); !slices.Equal(got, test.want) {
			t.Errorf("%s.%s: %v, want %v", test.path, test.name, got, test.want)
		}
	}
}

// TestTyped has conditions that are right by their form, and wrong by their types.
func TestTyped(t *testing.T) {
	pkg := checked(t, generic)
	for _, test := range []struct{ formula, want string }{
		{"by1.size == 0 && by2.size == 0", ""},
		{"ok1 && ok2", ""},
		{"by1.head.size == 0 && by2.head.size == 0",
			"size is behind a pointer, where others may write it"},
		{"by1.Close == nil && by2.Close == nil", "Close is a method, and conditions call nothing"},
		{"by1.none == 0 && by2.none == 0", "is not Go: "},
		{"by1.size && by2.size", "is not Go: "},
	} {
		specs, err := ecl.Parse("p.ecl", 1, 1, "//ecl:type File\n//ecl:mutator Grow(by)/ok\n"+
			"//ecl:commute Grow(by1)/ok1, Grow(by2)/ok2: "+test.formula)
		if err != nil {
			t.Errorf("%s: %v", test.formula, err)
			continue
		}
		if selects := strings.Contains(test.formula, "."); Selects(specs[0]) != selects {
			t.Errorf("%s: it selects a field: %v", test.formula, !selects)
		}
		errs := Typed(pkg, specs[0])
		if (len(errs) > 0) != (test.want != "") ||
			len(errs) > 0 && !strings.Contains(errs.Error(), test.want) {
			t.Errorf("%s\ngot  %v\nwant %s", test.formula, errs, test.want)
		}
	}
}
