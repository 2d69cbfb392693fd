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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Nearest is the candidate that is the least different from name, "" if they all differ much.
func Nearest(name string, candidates []string) string {
	best, least := "", len(name)/2+1
	for _, c := range candidates {
		if d := distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
