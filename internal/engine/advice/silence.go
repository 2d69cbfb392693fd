// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// Silence writes how to keep the report of calls at two places silent, if it is not to be mended,
// in a line without its end. Declared is where their object is declared, if a comment there keeps
// it silent.
func Silence(b *text.Buffer, first, second host.Frame, declared string) {
	if isForeign(first.File) {
		suppress(b, first.Func)
		return
	}
	ignore(b, first, second)
	if declared != "" && !isForeign(declared) {
		b.Texts("; or //commute:concurrent and why, at ", text.Base(declared))
	}
}

// SilenceSections is Silence for a check and an act of a function in two critical sections.
func SilenceSections(b *text.Buffer, check, act compiled.Line, function string) {
	if isForeign(check.File) {
		suppress(b, function)
		return
	}
	ignore(b, FrameOf(check), FrameOf(act))
	b.Text("; or //commute:notatomic and why, above ")
	stack.Function(b, text.Base(function))
}

// MendSections writes how to mend a check and an act in two critical sections, of which the texts
// stand before and after the extent.
func MendSections(b *text.Buffer, before string, check, act compiled.Line, after string) {
	b.Text(before)
	extent(b, FrameOf(check), FrameOf(act))
	b.Text(after)
}

// extent writes from where to where a lock is to be held.
func extent(b *text.Buffer, from, to host.Frame) {
	b.Text(text.Pick(stack.SamePlace(from, to), "throughout ", "from "))
	stack.Range(b, from, to)
}

// FrameOf is a frame at a line, of no function.
func FrameOf(l compiled.Line) host.Frame { return host.Frame{File: l.File, Line: int(l.Number)} }

// ignore writes that a comment at one of two places keeps a report silent.
func ignore(b *text.Buffer, first, second host.Frame) {
	b.Text("//commute:ignore and why, at ")
	stack.Place(b, first)
	if !stack.SamePlace(first, second) {
		b.Text(" or ")
		stack.Place(b, second)
	}
}

// isForeign reports whether a file is not the user's to write comments in: it is in the cache of
// modules, or is vendored.
func isForeign(file string) bool {
	return text.Contains(file, "/pkg/mod/") || text.Contains(file, "/vendor/")
}

// suppress writes how to keep reports about a function silent without a comment in it.
func suppress(b *text.Buffer, function string) {
	b.Text("-suppressions=FILE, with the line ^")
	stack.Function(b, function)
	b.Text("$")
}
