// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// programs is the folder with the programs of the texts: a file for each kind.
const programs = "../../../../testdata/explain/"

// blocks are the pieces of Go in a text.
func blocks(text string) (list []string) {
	var block []string
	end := func() {
		code := strings.TrimSpace(strings.Join(block, "\n"))
		if code != "" && isGo(code) {
			list = append(list, code)
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			block = append(block, strings.TrimRight(rest, "\n"))
			continue
		}
		end()
	}
	end()
	return list
}

// isGo reports whether a text is statements or declarations.
func isGo(code string) bool {
	for _, file := range []string{"package p\n" + code, "package p\nfunc f() {\n" + code + "\n}"} {
		if _, err := parser.ParseFile(token.NewFileSet(), "", file, 0); err == nil {
			return true
		}
	}
	return false
}

// flat is code without its indentation.
func flat(code string) string {
	lines := strings.Split(code, "\n")
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

// TestPrograms wants the code of each text to be that of a program, of which the wrong half and the
// right half are tested (TestExplained in internal/verdict runs them).
func TestPrograms(t *testing.T) {
	for _, kind := range Kinds() {
		if kind == "evidence" {
			continue // it is no kind of mistake
		}
		text, err := Text(kind)
		if err != nil {
			t.Fatal(err)
		}
		program, err := os.ReadFile(programs + kind + "_test.go")
		if err != nil {
			t.Error(err)
			continue
		}
		list := blocks(text)
		if len(list) < 2 {
			t.Errorf("%s: %d pieces of code, want a wrong and a right one", kind, len(list))
		}
		for _, code := range list {
			if !strings.Contains(flat(string(program)), flat(code)) {
				t.Errorf("%s: this is not in %s_test.go:\n%s", kind, kind, code)
			}
		}
		for _, name := range []string{"func TestRace", "func TestNoRace"} {
			if !strings.Contains(string(program), name) {
				t.Errorf("%s_test.go has no %s...", kind, name)
			}
		}
	}
}
