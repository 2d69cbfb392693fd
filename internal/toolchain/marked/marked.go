// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package marked finds out before a build whether the program has code that is marked as atomic.
// Only then must commute watch accesses to memory. Most programs have no marks, and should not wait
// for the answer. So the package asks the go command for the files of the build only if a file of
// the user's modules has an annotation.
//
// Input: a build. Output: whether there are annotations, and the functions that the patterns of
// -atomic match.
package marked

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/internal/toolchain/comments"
	"github.com/commutego/commute/internal/toolchain/golist"
)

// Annotated reports whether a package on the command line, or its tests, or one that is watched,
// has annotations, valid or not. Mentioned lists the files of the user's modules that may have
// some. If the go command cannot list the packages, Annotated leaves it to the build to report the
// error.
func Annotated(b *golist.Build, mentioned []string) bool {
	files := slices.ContainsFunc(b.Words(),
		func(w string) bool { return strings.HasSuffix(w, ".go") })
	if !files && !slices.ContainsFunc(mentioned, annotated) {
		return false
	}
	list, err := watched(b)
	return err == nil && slices.ContainsFunc(list, func(p golist.Package) bool {
		return !p.Standard && slices.ContainsFunc(append(p.Own(), p.XTestGoFiles...),
			func(name string) bool {
				return annotated(filepath.Join(p.Dir, name))
			})
	})
}

// watched lists the packages whose accesses to memory are watched: those on the command line, and
// those of -watch.
func watched(b *golist.Build) ([]golist.Package, error) {
	named, err := b.Named()
	if err != nil {
		return nil, err
	}
	more, err := b.Watched()
	if err != nil {
		return nil, err
	}
	list := slices.Clone(named)
	for _, p := range more {
		if !contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}

func contains(list []golist.Package, p golist.Package) bool {
	return slices.ContainsFunc(list,
		func(have golist.Package) bool { return have.ImportPath == p.ImportPath })
}

// annotated reports whether a file has annotations, or uses Atomic of package commutetest.
func annotated(name string) bool {
	text, err := os.ReadFile(name)
	if err != nil ||
		!transaction.Mentioned(string(text)) &&
			!bytes.Contains(text, []byte(comments.TestPackage)) {
		return false
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	found, problems := transaction.Find("", fset, []*ast.File{file})
	return len(found.Marks)+len(problems) > 0 || callsAtomic(file)
}

// callsAtomic reports whether a file uses Atomic of package commutetest.
func callsAtomic(file *ast.File) (found bool) {
	for _, spec := range file.Imports {
		if of, err := strconv.Unquote(spec.Path.Value); err != nil || of != comments.TestPackage {
			continue
		}
		name := path.Base(comments.TestPackage)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				found = found || ok && x.Name == name && n.Sel.Name == "Atomic"
			case *ast.Ident:
				found = found || name == "." && n.Name == "Atomic"
			}
			return !found
		})
	}
	return found
}
