// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transaction

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/commutego/commute/internal/suggest"
)

// Exported is the pattern for all exported functions and methods, of exported types and of others.
// Those of tests are not among them: what the files called _test.go declare.
const Exported = "exported"

// ExportedOf begins a pattern for the exported functions and methods of packages: what follows is a
// pattern of those, as the go command has them.
const ExportedOf = Exported + ":"

// CheckPattern returns an error if nothing can match a pattern.
func CheckPattern(pattern string) error {
	switch {
	case pattern == Exported ||
		strings.HasPrefix(pattern, ExportedOf) && len(pattern) > len(ExportedOf):
	case !strings.ContainsAny(pattern, ".*") && suggest.Typo(pattern, []string{Exported}) != "":
		return fmt.Errorf("-atomic %s: no function is called so (did you mean %s?)", pattern,
			Exported)
	case pattern == ExportedOf:
		return fmt.Errorf("-atomic %s: give a pattern of packages, as in %[1]s./... for all",
			pattern)
	case strings.ContainsAny(pattern, " \t\r\n'\""):
		return fmt.Errorf("-atomic %s: no function is called so: the names are those in "+
			"stack traces", pattern)
	case !strings.ContainsAny(pattern, ".*"):
		return fmt.Errorf("-atomic %s: the name of a function begins with that of its package: "+
			"write *.%[1]s for any", pattern)
	}
	return nil
}

// match returns those patterns that a function of this name, of a package that calls itself pkg,
// matches. Both are as in stack traces; where there are type parameters, "[...]" may be left out of
// the pattern. Instead of the last element of the path (v2, go-cache) the pattern may have the
// package's own name.
func match(patterns []string, pkg, name string) (matched []string) {
	plain := strings.ReplaceAll(name, "[...]", "")
	for _, p := range patterns {
		short, _, _ := strings.Cut(p, ".")
		for _, n := range []string{name, plain} {
			tail := n[strings.LastIndexByte(strings.SplitN(n, "(", 2)[0], '/')+1:]
			_, rest, _ := strings.Cut(tail, ".")
			if glob(p, n) || !strings.Contains(short, "/") &&
				(glob(p, tail) || glob(p, pkg+"."+rest)) {
				matched = append(matched, p)
				break
			}
		}
	}
	return matched
}

// glob reports whether text matches a pattern in which * stands for any text.
func glob(pattern, text string) bool {
	first, rest, star := strings.Cut(pattern, "*")
	text, ok := strings.CutPrefix(text, first)
	if !ok || !star {
		return ok && text == ""
	}
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, last)
}

// Matches is what patterns match in a package.
type Matches struct {
	Marks []Mark   // of functions that code can be added to
	Used  []string // the patterns that match any
	// the names of exported functions that [Exported] leaves out, for they wait for others
	Waiting []string
}

// Matched finds the functions of a package that patterns match. Only a pattern without a * is about
// main, init and tests.
func Matched(patterns []string, path string, fset *token.FileSet, files []*ast.File) (m Matches) {
	names := names(path, files)
	waits := newWaits(files)
	for _, file := range files {
		at := fset.PositionFor(file.Package, false).Filename
		if strings.HasSuffix(at, "_testmain.go") || strings.HasSuffix(at, "_cgo_gotypes.go") {
			continue // not the user's
		}
		tests := strings.HasSuffix(fset.Position(file.Package).Filename, "_test.go")
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || unmarkable(fn) != "" || fn.Name.Name == "_" {
				continue
			}
			found := match(patterns, file.Name.Name, names[fn])
			if entry(fn, tests) {
				found = slices.DeleteFunc(found,
					func(p string) bool { return strings.Contains(p, "*") })
			} else if slices.Contains(patterns, Exported) && fn.Name.IsExported() && !tests &&
				!excluded(fn) {
				if waits.function(fn) {
					m.Waiting = append(m.Waiting, names[fn])
				} else {
					found = append(found, Exported)
				}
			}
			if len(found) > 0 {
				m.Marks = append(m.Marks, Mark{Node: fn, Name: names[fn]})
				m.Used = append(m.Used, found...)
			}
		}
	}
	slices.Sort(m.Used)
	m.Used = slices.Compact(m.Used)
	return m
}

// entry reports whether a function is one that a program or a test begins with.
func entry(fn *ast.FuncDecl, tests bool) bool {
	if fn.Recv != nil {
		return false
	}
	name := fn.Name.Name
	if name == "main" || name == "init" {
		return true
	}
	return tests && slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"},
		func(kind string) bool {
			rest, ok := strings.CutPrefix(name, kind)
			first, _ := utf8.DecodeRuneInString(rest)
			return ok && !unicode.IsLower(first)
		})
}
