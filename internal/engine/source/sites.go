// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// Sites calls f for each line of a kind that is registered for calls of a method at fr, with the fields
// that follow.
func Sites(kind string, fr host.Frame, method string, f func(fields string)) {
	pkg := PackageOf(fr.Func)
	k := lineKey{kind: kind, pkg: pkg, file: text.Base(fr.File), line: fr.Line, name: method}
	Registered.index.find(k, func(l *line) {
		p, s := text.Cut(l.fields(), '\t')
		file, s := text.Cut(s, '\t')
		ln, s := text.Cut(s, '\t')
		m, s := text.Cut(s, '\t')
		if n, _ := text.Number(ln); n == fr.Line && m == method && file == k.file &&
			samePackage(p, pkg) {
			f(s)
		}
	})
}
