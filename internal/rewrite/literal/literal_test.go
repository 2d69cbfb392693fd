// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package literal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"
)

// An Outer has a field of each kind of type that is printed.
type Outer struct {
	Text   string
	Flag   bool
	Small  int8
	Big    uint64
	Word   uintptr
	Where  unsafe.Pointer
	Inner  *Inner
	Inners []Inner
	Lists  [][]Inner
	Bytes  []uint8
	keys   [2]uint32
	Count  atomic.Uint64
	Counts [3]atomic.Uint32
	_      [2]uintptr
}

type Inner struct {
	Name  string
	Other *Outer
}

var printer = Printer{
	Prefix: "x_",
	Unsafe: "u",
	Names:  map[reflect.Type]string{reflect.TypeFor[Inner](): "inside"},
}

var value = Outer{
	Text: "a\t\"b\"", Flag: true, Small: -3, Big: 1 << 63, Inner: &Inner{Name: "one"},
	Inners: []Inner{{Name: "two"}, {}}, Lists: [][]Inner{{}, {{Name: "three"}}},
	Bytes: []uint8{1, 0}, keys: [2]uint32{0, 7},
}

const declared = `
type x_Outer struct {
	text string
	flag bool
	small int8
	big uint64
	word uintptr
	where u.Pointer
	inner *inside
	inners []inside
	lists [][]inside
	bytes []uint8
	keys [2]uint32
	count uint64
	counts [3]uint32
	_ [2]uintptr
}

type inside struct {
	name string
	other *x_Outer
}
`

const printed = `x_Outer{text: "a\t\"b\"", flag: true, small: -3, big: 9223372036854775808, ` +
	`inner: &inside{name: "one"}, inners: []inside{
{name: "two"},
{},
}, lists: [][]inside{
{},
{
{name: "three"},
},
}, bytes: []uint8{1, 0}, keys: [2]uint32{0, 7}}`

// TestPrint prints declarations and a literal, which are right Go, and of the same layout as the
// types that they are printed of.
func TestPrint(t *testing.T) {
	decls := printer.Declare(reflect.TypeFor[Outer](), reflect.TypeFor[Inner]())
	if decls != declared {
		t.Errorf("got\n%s\nwant\n%s", decls, declared)
	}
	text := strings.TrimPrefix(printer.Value(&value), "&")
	if text != printed {
		t.Errorf("got\n%s\nwant\n%s", text, printed)
	}
	fset := token.NewFileSet()
	src := "package p\n\nimport u \"unsafe\"\n" + decls + "\nvar v = " + text + "\n"
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: onlyUnsafe{}}
	pkg, err := conf.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "\n\n") {
		t.Error("there is an empty line")
	}
	got := pkg.Scope().Lookup("x_Outer").Type().Underlying().(*types.Struct)
	want := reflect.TypeFor[Outer]()
	var fields []*types.Var
	for f := range got.Fields() {
		fields = append(fields, f)
	}
	offsets := types.SizesFor("gc", "amd64").Offsetsof(fields)
	if wordSize := reflect.TypeFor[uintptr]().Size(); wordSize != 8 {
		t.Skip("offsets are compared where words are of 8 bytes")
	}
	for i := range want.NumField() {
		if f := want.Field(i); uintptr(offsets[i]) != f.Offset {
			t.Errorf("%s is at %d, not %d", f.Name, offsets[i], f.Offset)
		}
	}
}

type onlyUnsafe struct{}

func (onlyUnsafe) Import(string) (*types.Package, error) { return types.Unsafe, nil }

// TestExpr has fields whose values are expressions: of a struct, and of one in a list.
func TestExpr(t *testing.T) {
	p := Printer{Prefix: "x_", Expr: func(of any, field string) string {
		if in, ok := of.(Inner); ok && field == "Other" {
			return "&" + in.Name
		}
		return ""
	}}
	got := p.Value([]Inner{{Name: "v"}, {Name: "w", Other: &Outer{}}})
	if want := `[]x_Inner{
{name: "v", other: &v},
{name: "w", other: &w},
}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNoLiteral has a value that cannot be printed.
func TestNoLiteral(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "has no literal") {
			t.Errorf("panic %q", text)
		}
	}()
	printer.Value(struct{ F func() }{func() {}})
}
