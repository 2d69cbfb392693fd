// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer, "prose", "places", "misses", "misspelt",
		"unmarkable")
}

// TestFix makes annotations of what is nearly one, and blocks of statements.
func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "fixes")
}

// TestDoc has the analyzer's summary from its package comment.
func TestDoc(t *testing.T) {
	if !strings.HasPrefix(Analyzer.Doc,
		"atomic: check the form and the place of //atomic annotations\n") {
		t.Errorf("%q", Analyzer.Doc)
	}
}

func parse(t testing.TB, src string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file
}

// found lists the names of what is marked in a source of the package example.com/a.b/c.d.
func found(t testing.TB, src string) (list []string) {
	t.Helper()
	fset, file := parse(t, src)
	marked, problems := Find("example.com/a.b/c.d", fset, []*ast.File{file})
	for _, p := range problems {
		t.Errorf("%s: %s", fset.Position(p.Pos), p.Message)
	}
	for _, m := range marked.Marks {
		list = append(list, strings.TrimPrefix(m.Name, "example.com/a.b/c%2ed."))
	}
	return list
}

const annotated = `package p

//atomic
func f() {
	//atomic
	for {
		//atomic
		go func() {
			{ //atomic
			}
		}()
	}
}

// g is.
//atomic
func g[T any]() {}

//commute:atomic	with a tab
func init() {}

// T is documented.
//
// atomic
type T[K comparable, V any] struct{}

func (*T[K, V]) A() {}
func (T[K, V]) B()  {}
func (T[K, V]) c()  {}

//commute:notatomic it waits
func (T[K, V]) D() {}

func init() { //atomic
}

//atomic
var v = func() {
	//atomic
	{
	}
}

// atomic
// A Group is of types.
type (
	U struct{}
)

func (U) A() {}

//atomic
func (U) A2() {}
`

// TestFind finds the same before and after gofmt, which rewrites doc comments.
func TestFind(t *testing.T) {
	want := []string{
		"f", "f block", "f function literal", "f block", "g[...]", "init.0", "(*T[...]).A",
		"T[...].B", "init.1",
		"v function literal", "v block", "U.A", "U.A2",
	}
	formatted, err := format.Source([]byte(annotated))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(formatted), "// atomic\n") != 6 {
		t.Errorf("gofmt has another opinion of doc comments:\n%s", formatted)
	}
	for _, src := range []string{annotated, string(formatted),
		strings.ReplaceAll(annotated, "\n", "\r\n")} {
		if got := found(t, src); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// TestMarkOnce has a method that is marked with its type, and by itself.
func TestMarkOnce(t *testing.T) {
	got := found(t,
		"package p\n//atomic\ntype T int\n//atomic\n//commute:atomic\nfunc (T) A() {}\n")
	if !slices.Equal(got, []string{"T.A"}) {
		t.Errorf("got %q", got)
	}
}

// TestSpace has the word as gofmt writes it in doc comments, in other places: there it is prose,
// but for what stands alone over what could be marked.
func TestSpace(t *testing.T) {
	const said = "outside of doc comments, // atomic is prose; did you mean //atomic?"
	for src, want := range map[string]string{
		"// atomic\n{ }":                  said,
		"// atomic\nfor { }":              said,
		"// atomic\ngo func() { }()":      said,
		"// It is\n// atomic\n{ }":        "",
		"// atomic\nif true { }":          said,
		"for { // atomic\n}":              "",
		"// atomic\nvar f = func() { }":   "",
		"// atomic\nf := func() { }\nf()": said,
		"x := 1 // atomic\n_ = x":         "",
	} {
		fset, file := parse(t, "package p\nfunc f() {\n"+src+"\n}\n")
		_, problems := Find("p", fset, []*ast.File{file})
		got := ""
		for _, p := range problems {
			got += p.Message
			if fix := string(p.SuggestedFixes[0].TextEdits[0].NewText); fix != "//atomic" {
				t.Errorf("%q is fixed as %s", src, fix)
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

func TestMentioned(t *testing.T) {
	for text, want := range map[string]bool{
		"x //atomic":                     true,
		"x // atomic\n":                  true,
		"//Atomic:":                      true,
		"//commute:atomic":               true,
		"// commute:notatomic x":         true,
		"//notatomic":                    true,
		"http://x.y //z\n//atomic":       true,
		"import \"sync/atomic\"":         false,
		"// uses sync/atomic":            false,
		"// atomically":                  false,
		"// atomic_int":                  false,
		"/* atomic */":                   true,
		"/* atomic variables */":         false,
		"//atomc":                        true,
		"x\n// atomc\r\n":                true,
		"//go:atomic":                    true,
		"//go:noinline":                  false,
		"//topic\n//tonic\n//static":     false,
		"atomic.AddInt32(&x, 1) // atom": false,
		"// is atomic\n// not\n":         false,
		"":                               false,
	} {
		if got := Mentioned(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, dir := range []string{"places", "misses", "misspelt", "unmarkable", "fixes"} {
		text, err := os.ReadFile("testdata/src/" + dir + "/" + dir + ".go")
		if err != nil {
			t.Fatal(err)
		}
		if !Mentioned(string(text)) {
			t.Errorf("%s: not mentioned", dir)
		}
	}
}

// FuzzFind reads any source: what is found was mentioned, and has its place.
func FuzzFind(f *testing.F) {
	f.Add(annotated)
	for _, dir := range []string{"prose", "places", "misses", "misspelt", "unmarkable", "fixes"} {
		text, err := os.ReadFile("testdata/src/" + dir + "/" + dir + ".go")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, src string) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
		if err != nil {
			return
		}
		marked, problems := Find("p", fset, []*ast.File{file})
		if len(marked.Marks)+len(problems)+len(marked.Not) > 0 && !Mentioned(src) {
			t.Error("found, but not mentioned")
		}
		for _, p := range problems {
			if !p.Pos.IsValid() || p.End <= p.Pos {
				t.Errorf("%s: %d to %d", p.Message, p.Pos, p.End)
			}
		}
		for _, m := range marked.Marks {
			if m.Node == nil || !strings.HasPrefix(m.Name, "p.") {
				t.Errorf("%v", m)
			}
		}
	})
}

// TestNamed names functions and literals that are not marked.
func TestNamed(t *testing.T) {
	fset, file := parse(t, `package p

var v = func() {}

type T struct{}

func (*T) m() {
	func() {
		_ = func() {}
	}()
}

//go:nosplit
func small() {}

func f() {}
`)
	var nodes []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			nodes = append(nodes, n)
		}
		return true
	})
	var got []string
	for _, m := range Named("example.com/a.b/c.d", []*ast.File{file}, nodes) {
		got = append(got, fmt.Sprint(fset.Position(m.Node.Pos()).Line, " ",
			strings.TrimPrefix(m.Name, "example.com/a.b/c%2ed.")))
	}
	want := []string{"3 v function literal", "7 (*T).m", "8 (*T).m function literal",
		"9 (*T).m function literal", "16 f"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
