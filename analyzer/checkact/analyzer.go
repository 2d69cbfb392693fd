// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	_ "embed"
	"fmt"
	"go/token"
	"reflect"
	"slices"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/internal/docs"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/load"
	"github.com/commutego/commute/specs"
	"golang.org/x/tools/go/analysis"
)

//go:embed doc.go
var doc string

// Analyzer finds the pairs of a package, which are its *[Result]. It reports the pairs of calls
// between which another goroutine can come, if there is a method that does both.
var Analyzer = &analysis.Analyzer{
	Name:       "checkact",
	Doc:        docs.Section(doc, "checkact"),
	URL:        "https://pkg.go.dev/github.com/commutego/commute/analyzer/checkact",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
}

var level string

func init() {
	Analyzer.Flags.StringVar(&level, "level", Likely, "which pairs are reported: likely, or all")
}

// A Result has the pairs of a package.
type Result struct{ Calls []Pair }

// A Pair is a check and an act that depends on it.
type Pair struct {
	Check, Act Point

	// Through: at least one of the two is a call of a function that makes the call, or of one that
	// calls such a function.
	Through bool
}

// A Point is one side of a pair.
type Point struct {
	token.Position
	Method string // the method that is called; of an access to memory, the variable
}

// A Call is a call of a method that has a specification.
type Call struct {
	typ  string // the method's type, with its package
	Role ecl.Role
	Keys []int // the arguments that are keys
	Point
}

// Calls are the calls of a package, by the positions of their opening parentheses.
type Calls map[token.Pos]Call

// CallsOf makes a Call for each site of a type with a specification. The function lookup finds the
// specification of a type, by package path and name.
func CallsOf(fset *token.FileSet, sites []directive.Site,
	lookup func(path, name string) *ecl.Spec) Calls {
	calls := make(Calls)
	tables := make(map[*ecl.Spec]*ecl.Table)
	for _, s := range sites {
		spec := lookup(s.Type.Pkg().Path(), s.Type.Name())
		if spec == nil {
			continue
		}
		t, ok := tables[spec]
		if !ok {
			t, _ = ecl.Compile(spec) // package annotation reports errors in it
			tables[spec] = t
		}
		if t == nil {
			continue
		}
		for _, m := range t.Methods {
			if m.Name == s.Method {
				keys := slices.DeleteFunc(slices.Clone(m.Keys),
					func(k int) bool { return k >= len(m.Params) })
				at := fset.Position(directive.CallPos(s.Call))
				calls[s.Call.Lparen] = Call{spec.TypeName(), m.Role, keys, Point{at, s.Method}}
			}
		}
	}
	return calls
}

// shipped are the specifications that come with commute, except those that are on request.
func shipped() []*ecl.Spec {
	return slices.DeleteFunc(specs.All(), func(s *ecl.Spec) bool { return specs.OnRequest(s.Path) })
}

// Watched lists the types whose calls may be checks and acts in every package. In a package that
// specifies types itself, calls of these may be checks and acts, too.
func Watched() (list []directive.Type) {
	for _, s := range shipped() {
		list = append(list, directive.TypeOf(s))
	}
	return list
}

// run is the analyzer for any driver: it has the specifications that come with commute, and the
// package's own.
func run(pass *analysis.Pass) (any, error) {
	if level != Likely && level != All {
		return nil, fmt.Errorf("-checkact.level=%s: give likely or all", level)
	}
	list := shipped()
	own, _ := annotation.Find(pass.Files, pass.Fset.Position)
	for _, s := range own {
		s.Path = pass.Pkg.Path()
		list = append(list, s)
	}
	finder := &directive.Finder{Info: pass.TypesInfo, Pkg: pass.Pkg}
	for _, s := range list {
		finder.Types = append(finder.Types, directive.TypeOf(s))
	}
	calls := CallsOf(pass.Fset, finder.Sites(pass.Files), func(path, name string) *ecl.Spec {
		for _, s := range list {
			if s.Path == path && s.Name == name {
				return s
			}
		}
		return nil
	})
	pkg := load.Checked(pass.Fset, pass.Files, pass.Pkg, pass.TypesInfo)
	return find(pkg, calls, func(p *program) {
		p.lint(pass, calls, arbitersOf(list))
	}), nil
}

// Find finds the pairs of a package. It finds none in a package that doesn't type-check, or whose
// SSA form cannot be built.
func Find(pkg *load.Package, calls Calls) *Result {
	return find(pkg, calls, func(*program) {})
}

// find is Find, and calls more with the program. Package ssa panics on some programs; then there
// are no pairs, as the build must go on.
func find(pkg *load.Package, calls Calls, more func(*program)) (r *Result) {
	if len(calls) == 0 {
		return new(Result)
	}
	defer func() {
		if recover() != nil {
			r = new(Result)
		}
	}()
	p, err := build(pkg)
	if err != nil {
		return new(Result)
	}
	r = new(Result)
	for _, f := range p.functions {
		r.Calls = append(r.Calls, f.callPairs(calls)...)
	}
	more(p)
	return r
}
