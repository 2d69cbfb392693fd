// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bundle

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// inlineMark in the doc of a function has the compiler inline its calls, though it is larger than
// what is inlined without that. The calls are listed as the edges of a profile: the compiler
// inlines what a profile says is called often. Calls in function literals, in templates and of
// generic functions are not listed.
const inlineMark = "//bundle:inline"

// A function that is inlined, with what is known of its package.
type inlined struct {
	decl   *ast.FuncDecl
	info   *types.Info
	called *bool
}

// findMarked notes the functions of a package that are inlined.
func (b *bundler) findMarked(files []source, info *types.Info) error {
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !slices.ContainsFunc(fn.Doc.List, isInlineMark) {
				continue
			}
			obj, ok := info.Defs[fn.Name].(*types.Func)
			if !ok || b.symbol(obj) == "" {
				return fmt.Errorf("%s: a generic function can't be marked with %s",
					b.fset.Position(fn.Pos()), inlineMark)
			}
			b.inlined[obj] = inlined{fn, info, new(bool)}
		}
	}
	return nil
}

func isInlineMark(c *ast.Comment) bool { return c.Text == inlineMark }

// listCalls lists the calls of functions that are inlined, in the functions of a package.
func (b *bundler) listCalls(files []source, info *types.Info) {
	for _, f := range files {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if obj, ok := info.Defs[fn.Name].(*types.Func); ok && b.symbol(obj) != "" {
				b.listIn(fn, b.symbol(obj), b.line(fn.Name.Pos()), info, nil)
			}
		}
	}
}

// listIn lists those in the body of fn, and in what is inlined there: these are calls in the
// caller by then, of the lines that they have in their own files. Its declaration is at line.
func (b *bundler) listIn(
	fn *ast.FuncDecl, caller string, line int, info *types.Info, outer []*types.Func,
) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		callee := typeutil.StaticCallee(info, call)
		in, ok := b.inlined[callee]
		if !ok || slices.Contains(outer, callee) {
			return true
		}
		*in.called = true
		for at := b.line(call.Pos()); at <= b.line(call.Lparen); at++ {
			b.edges = append(b.edges, fmt.Sprintf("%s\n%s\n%d 1\n", caller, b.symbol(callee),
				at-line))
		}
		b.listIn(in.decl, caller, line, in.info, append(slices.Clip(outer), callee))
		return true
	})
}

func (b *bundler) line(pos token.Pos) int { return b.fset.PositionFor(pos, false).Line }

// symbol is the name that a function has in the linker's symbols once it is in package runtime, ""
// if it is generic.
func (b *bundler) symbol(fn *types.Func) string {
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return ""
	}
	if sig.Recv() == nil {
		return "runtime." + b.prefix[fn.Pkg()] + fn.Name()
	}
	t, format := types.Unalias(sig.Recv().Type()), "runtime.%s.%s"
	if p, ok := t.(*types.Pointer); ok {
		t, format = types.Unalias(p.Elem()), "runtime.(*%s).%s"
	}
	n, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, b.prefix[fn.Pkg()]+n.Obj().Name(), fn.Name())
}

// profile is what the compiler reads, in the form that "go tool preprofile" writes; nil if there is
// nothing in it. Each function that is marked must be called.
func (b *bundler) profile() ([]byte, error) {
	for fn, in := range b.inlined {
		if !*in.called {
			return nil, fmt.Errorf("%s: nothing calls %s, which is marked with %s",
				b.fset.Position(fn.Pos()), fn.Name(), inlineMark)
		}
	}
	if len(b.edges) == 0 {
		return nil, nil
	}
	slices.Sort(b.edges)
	var out bytes.Buffer
	out.WriteString("GO PREPROFILE V1\n")
	out.WriteString(strings.Join(slices.Compact(b.edges), ""))
	return out.Bytes(), nil
}
