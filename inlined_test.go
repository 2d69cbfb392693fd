// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commute_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// saysInlined is how a comment says that a function is inlined.
var saysInlined = regexp.MustCompile(`(It|so it) is inlined\b`)

// saidInlined lists the functions of a folder whose comments say that they are inlined, by
// file:line of their names.
func saidInlined(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	said := make(map[string]string)
	for _, name := range names {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !isSaid(fn.Doc) {
				continue
			}
			at := fset.Position(fn.Name.Pos())
			said[fmt.Sprintf("%s:%d", filepath.Base(name), at.Line)] = fn.Name.Name
		}
	}
	return said, nil
}

// The compiler inlines what comments of the engine say it does. A hook that calls such a function
// costs more otherwise, and no other test would tell.
func TestInlined(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("internal/engine/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, dir := range dirs {
		said, err := saidInlined(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(said) == 0 {
			continue
		}
		out, err := exec.Command("go", "build", "-gcflags=-m", "./"+dir).CombinedOutput()
		if err != nil {
			t.Fatalf("go build ./%s: %v\n%s", dir, err, out)
		}
		for at, name := range said {
			n++
			inlined := regexp.MustCompile(`(?m)/` + at + `:\d+: can inline `)
			if !inlined.Match(out) {
				t.Errorf("%s/%s: %s is not inlined, as its comment says it is "+
					"(see go build -gcflags=-m=2)", dir, at, name)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d functions are said to be inlined", n)
	}
}

// inlineSymbols lists the functions of the engine that are marked with //bundle:inline, or whose
// comments say that they are inlined, as regular expressions of their symbols in a program that
// commute has built.
func inlineSymbols(t *testing.T) (symbols []string) {
	names, err := filepath.Glob("internal/engine/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || !isMarked(fn.Doc) && !isSaid(fn.Doc) {
				continue
			}
			symbol := `commute_` + f.Name.Name + `_` + fn.Name.Name
			if fn.Recv != nil {
				of := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
				symbol = `\(?\*?commute_` + f.Name.Name + `_` + of + `\)?\.` + fn.Name.Name
			}
			symbols = append(symbols, ` runtime\.`+symbol+`\n`)
		}
	}
	return symbols
}

func isMarked(doc *ast.CommentGroup) bool {
	return slices.ContainsFunc(doc.List, func(c *ast.Comment) bool {
		return c.Text == "//bundle:inline"
	})
}

func isSaid(doc *ast.CommentGroup) bool {
	return saysInlined.MatchString(strings.Join(strings.Fields(doc.Text()), " "))
}

// In a program that commute has built, the calls of these functions are inlined, but for one that
// is called in other ways as well: so the others have no symbols. What a function costs differs
// between its package and package runtime.
func TestInlinedInRuntime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	commute, binary := filepath.Join(dir, "commute"), filepath.Join(dir, "speed.test")
	run := func(in, name string, args ...string) []byte {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return out
	}
	run(".", "go", "build", "-buildvcs=false", "-o", commute, "./cmd/commute")
	run("testdata/speed", commute, "test", "-c", "-o", binary, ".")
	linked := run(".", "go", "tool", "nm", binary)
	if !bytes.Contains(linked, []byte("commute_call_")) {
		t.Fatal("the engine has no symbols in the program")
	}
	symbols := inlineSymbols(t)
	if len(symbols) < 25 {
		t.Fatalf("only %d functions are marked, or said to be inlined", len(symbols))
	}
	for _, s := range symbols {
		if regexp.MustCompile(s).Match(linked) && !strings.Contains(s, "call_endChange") {
			t.Errorf("a call of%s is not inlined (see internal/toolchain/bundle/inline.go)",
				strings.TrimSuffix(s, `\n`))
		}
	}
}

// The comments that count, and those that don't.
func TestSaidInlined(t *testing.T) {
	for comment, want := range map[string]bool{
		"Each lock asks, so it is inlined, and only looks.": true,
		"It is inlined.":                        true,
		"It gives the function that is inlined": false,
	} {
		if got := saysInlined.MatchString(comment); got != want {
			t.Errorf("%q: %v", comment, got)
		}
	}
}
