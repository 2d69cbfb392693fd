// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package directive

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/transaction"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestAnalyzer(t *testing.T) {
	if err := analysis.Validate([]*analysis.Analyzer{Analyzer}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Analyzer.Doc, "directive: check the form") {
		t.Errorf("Doc = %q", Analyzer.Doc)
	}
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "forms", "places")
	analysistest.Run(t, analysistest.TestData(), Analyzer, "misspelt")
}

// TestMentioned has each line of the misspelt ones by itself: what Scan reports was mentioned.
func TestMentioned(t *testing.T) {
	text, err := os.ReadFile("testdata/src/misspelt/misspelt.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		_, comment, want := strings.Cut(line, "\" */ ")
		if !want {
			comment = strings.TrimSpace(line)
		}
		if want && !Mentioned("x := 1 / 2 "+comment+"\n") {
			t.Errorf("%s: not mentioned", comment)
		}
	}
}

// TestStandardLibrary reports nothing of sources that know nothing of commute.
func TestStandardLibrary(t *testing.T) {
	src := filepath.Join(build.Default.GOROOT, "src")
	files := 0
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if !Mentioned(string(text)) && !transaction.Mentioned(string(text)) {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return nil // a test of the compiler's
		}
		_, problems := Scan(fset, file)
		for _, p := range problems {
			t.Errorf("%s: %s", fset.Position(p.Pos), p.Message)
		}
		_, marks := transaction.Find("p", fset, []*ast.File{file})
		for _, p := range marks {
			t.Errorf("%s: %s", fset.Position(p.Pos), p.Message)
		}
		return nil
	})
	if err != nil || files < 1000 {
		t.Skip(files, " files in GOROOT: ", err)
	}
}

// load parses and type-checks one source.
func load(t *testing.T, name, src string) (*token.FileSet, *ast.File, *types.Info, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil), Error: func(error) {}}
	pkg, _ := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	return fset, file, info, pkg
}

// sites returns the calls in the source, each as a line.
func sites(t *testing.T, src string, asked ...string) (list []string, unused []int) {
	t.Helper()
	fset, file, info, pkg := load(t, "/src/p/p.go", src)
	f := &Finder{Types: []Type{{Package: "sync", Name: "Map", Methods: []string{"Load", "Store"},
		Asked: asked}}, Info: info, Pkg: pkg}
	for _, s := range f.Sites([]*ast.File{file}) {
		line := fset.Position(CallPos(s.Call)).Line
		text := fmt.Sprintf("%d %s %s", line, s.Method, s.Kind)
		if s.Object != nil {
			at := fset.Position(s.Object.Pos())
			text += fmt.Sprintf(" %s %s p/%s:%d", s.Object.Pkg().Path(), s.Name,
				filepath.Base(at.Filename), at.Line)
		}
		list = append(list, text)
		if s.Unused {
			unused = append(unused, line)
		}
	}
	return list, unused
}

func TestPlaces(t *testing.T) {
	src, err := os.ReadFile("testdata/src/places/places.go")
	if err != nil {
		t.Fatal(err)
	}
	good, _, _ := strings.Cut(string(src), "\n//commute:concurrent there is no")
	fset, file, _, _ := load(t, "/src/p/p.go", good)
	found, problems := Scan(fset, file)
	for _, p := range problems {
		t.Errorf("%s: %s", fset.Position(p.Pos), p.Message)
	}
	var got []string
	for _, d := range found {
		for _, decl := range d.Decls {
			got = append(got, fmt.Sprintf("%s:%d", decl, d.Line))
		}
		if d.Verb == Ignore {
			got = append(got, fmt.Sprintf("ignore:%d", d.Line))
		} else if d.Verb != concurrent || len(d.Decls) == 0 {
			t.Errorf("line %d: %s of nothing", d.Line, d.Verb)
		}
	}
	want := "m:8 a:13 b:13 c:16 d:16 Server.cache:23 Server.inner.m:25 Server.Map:27 " +
		"Server.locals.x:31 Server.locals.y:33 ignore:37 Server.locals.z:39 ignore:45"
	if got := strings.Join(got, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSites(t *testing.T) {
	const src = `package p

import "sync"

type Server struct {
	Cache sync.Map
	inner struct{ m map[string]*sync.Map }
}

type Embed struct{ *Middle }
type Middle struct{ sync.Map }
type Box[T any] struct{ m sync.Map }
type Alias = sync.Map

var global sync.Map
var anon struct{ m sync.Map }
var alias Alias

type fake struct{}

func (fake) Load(int) {}

func (s *Server) f(p *sync.Map, e Embed, b *Box[int]) (r *sync.Map) {
	s.Cache.Load(1)
	s.inner.m["x"].Load(2)
	p.Store(1, 2)
	(*p).Store(1, 2)
	l := p
	l.Store(1, 2)
	get().Load(1)
	global.Load(3)
	e.Load(4)
	b.m.Load(5)
	anon.m.Load(6)
	alias.Load(7)
	(&global).
		Load(8)
	func() { x := new(sync.Map); x.Load(9) }()
	defer r.Load(10)
	global.Range(nil)
	fake{}.Load(1)
	unresolved.Load(1)
	return nil
}

func get() *sync.Map { return nil }
`
	want := strings.Split(strings.TrimSpace(`
24 Load field example.com/p Server.Cache p/p.go:6
25 Load field example.com/p Server.inner.m p/p.go:7
26 Store param example.com/p Server.f.p p/p.go:23
27 Store param example.com/p Server.f.p p/p.go:23
29 Store local example.com/p Server.f.l p/p.go:28
30 Load other
31 Load global example.com/p global p/p.go:15
32 Load field example.com/p Middle.Map p/p.go:11
33 Load field example.com/p Box.m p/p.go:12
34 Load field example.com/p anon.m p/p.go:16
35 Load global example.com/p alias p/p.go:17
37 Load global example.com/p global p/p.go:15
38 Load local example.com/p Server.f.x p/p.go:38
39 Load param example.com/p Server.f.r p/p.go:23
`), "\n")
	got, _ := sites(t, src)
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("site %d:\ngot  %s\nwant %s", i, g, w)
		}
	}
}

// TestUnused tells calls whose results are not used from others.
func TestUnused(t *testing.T) {
	const src = `package p

import "sync"

func f(m *sync.Map) any {
	m.Load(1)
	v, ok := m.Load(2)
	_, _ = m.Load(3)
	v, _ = m.Load(4)
	go m.Load(5)
	defer m.Load(6)
	(m.Load(7))
	if _, ok := m.Load(8); ok {
	}
	func() { m.Load(9) }()
	use(m.Load(10))
	for m.Store(11, 1); ok; m.Store(12, 2) {
	}
	_ = v
	return func() (any, bool) { return m.Load(13) }
}

func use(any, bool) {}
`
	_, got := sites(t, src, "Load", "Store")
	if want := []int{6, 8, 10, 11, 12, 15, 17, 17}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, unused := sites(t, src); len(unused) > 0 {
		t.Error("what becomes of results is told though nobody asks")
	}
}

// TestTwin finds calls that are to go to a twin, where there is one.
func TestTwin(t *testing.T) {
	const src = `package p

type number struct{ n int }

func (n *number) Add(d int) int         { return n.n }
func (n *number) Commute_Add(d int) int { return n.Add(d) }
func (n *number) Load() int             { return n.n }

type box struct{ *number }

func f(n *number, b *box, i interface{ Add(int) int }) {
	n.Add(1)
	b.Add(1)
	b.number.Add(1)
	n.Load()
	i.Add(1)
	g := n.Add
	g(1)
	(*number).Add(n, 1)
	n.Commute_Add(1)
}
`
	fset, file, info, pkg := load(t, "/src/p/p.go", src)
	f := &Finder{Types: []Type{{Package: "example.com/p", Name: "number",
		Methods: []string{"Add", "Load"}, Twin: true}}, Info: info, Pkg: pkg}
	var lines []int
	for _, s := range f.Sites([]*ast.File{file}) {
		if s.Twin && s.Method == "Add" {
			lines = append(lines, fset.Position(s.Call.Pos()).Line)
		} else {
			t.Errorf("%s: %s", fset.Position(s.Call.Pos()), s.Method)
		}
	}
	if !slices.Equal(lines, []int{6, 12, 13, 14}) {
		t.Errorf("lines %v", lines)
	}
	if Needed(f.Types, []string{"func f() { n.Delete(1) }"}) ||
		!Needed(f.Types, []string{"func f() { n.Add(1) }"}) {
		t.Error("Needed does not see a field of a type that is not imported")
	}
}

func TestNeeded(t *testing.T) {
	watched := []Type{{Package: "sync", Name: "Map", Methods: []string{"Load"}}}
	tests := []struct {
		files []string
		want  bool
	}{
		{[]string{"import \"sync\"\nvar m sync.Map", "func f() { m.Load(1) }"}, true},
		{[]string{"import \"sync\"\nvar m sync.Mutex"}, false},
		{[]string{"func f() { m.Load(1) }"}, false},
		{nil, false},
	}
	for _, test := range tests {
		if got := Needed(watched, test.files); got != test.want {
			t.Errorf("Needed(%q) = %v", test.files, got)
		}
	}
}
