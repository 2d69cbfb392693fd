// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
)

// RenameVars returns a Go expression with its identifiers, but for fields, replaced by f.
func RenameVars(expr string, f func(name string) string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(expr))
	s.Init(file, []byte(expr), func(token.Position, string) {}, 0)
	var b strings.Builder
	last := 0
	field := false // after a dot
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.IDENT && !field {
			off := file.Offset(pos)
			b.WriteString(expr[last:off])
			b.WriteString(f(lit))
			last = off + len(lit)
		}
		field = tok == token.PERIOD
	}
	b.WriteString(expr[last:])
	return b.String()
}

// words makes one line of words out of a directive's text.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// count is "1 parameter" or "2 parameters".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
