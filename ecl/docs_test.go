// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
)

const docs = "../docs/ecl.md"

// A block is a piece of code in docs/ecl.md, with what is printed of it.
type block struct {
	lang, text string
	line       int
	outputs    bool // an output follows
	output     string
}

func blocks(t *testing.T) (list []block) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	open := ""
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == "":
			open = lang
			if lang == "output" {
				list[len(list)-1].outputs = true
			} else {
				list = append(list, block{lang: lang, line: i + 2})
			}
		case fence:
			open = ""
		case open == "output":
			list[len(list)-1].output += line + "\n"
		case open != "":
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

// TestDocs checks the examples in docs/ecl.md: they are right, or what is printed of them is what
// the text says. With -u it says what is printed.
func TestDocs(t *testing.T) {
	n := map[string]int{}
	update := flag.Lookup("u").Value.String() == "true"
	list := blocks(t)
	for i := range list {
		b := &list[i]
		n[b.lang]++
		t.Run(fmt.Sprintf("line%d", b.line), func(t *testing.T) {
			var got string
			switch b.lang {
			case "go":
				got = checkGo(t, b.text)
			case "ecl":
				got = checkFile(b.text)
			default:
				t.Fatalf("docs/ecl.md:%d: code in %q", b.line, b.lang)
			}
			if got != b.output && update && b.outputs {
				b.output = got
			}
			if got != b.output {
				t.Errorf("docs/ecl.md:%d: got\n%s\nwant\n%s", b.line, got, b.output)
			}
		})
	}
	if update {
		rewrite(t, list)
	}
	if n["go"] < 10 || n["ecl"] < 10 {
		t.Errorf("%v examples", n)
	}
}

// rewrite replaces the output of all blocks in docs/ecl.md.
func rewrite(t *testing.T, list []block) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	inside := false
	i := -1
	for n, line := range strings.Split(string(text), "\n") {
		if i+1 < len(list) && n+1 == list[i+1].line {
			i++
		}
		if inside && line == "```" {
			inside = false
			out = append(out, strings.Split(list[i].output, "\n")...)
			out[len(out)-1] = line
			continue
		}
		if inside {
			continue
		}
		inside = line == "```output"
		out = append(out, line)
	}
	if err := os.WriteFile(docs, []byte(strings.Join(out, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// checkGo returns the errors in the specifications of a file, without its name.
func checkGo(t *testing.T, text string) string {
	if !strings.HasPrefix(text, "package ") {
		text = "package p; " + text
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	position := func(p token.Pos) token.Position { return fset.Position(p) }
	list, errs := annotation.Find([]*ast.File{file}, position)
	for _, s := range list {
		errs = append(errs, annotation.Typed(pkg, s)...)
	}
	if len(list) == 0 && len(errs) == 0 {
		t.Error("no specification")
	}
	return short(errs)
}

func checkFile(text string) string {
	list, err := ecl.Parse("x.ecl", 1, 1, text)
	errs, _ := err.(ecl.Errors)
	if err == nil {
		for _, s := range list {
			if _, err := ecl.Compile(s); err != nil {
				errs = append(errs, err.(*ecl.Error))
			}
		}
	}
	return short(errs)
}

// short prints errors without the file's name.
func short(errs ecl.Errors) string {
	s := ""
	for _, e := range errs {
		s += strings.ReplaceAll(strings.ReplaceAll(e.Error(), "x.go:", ""), "x.ecl:", "") + "\n"
	}
	return s
}
