// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/host"
)

// sites calls f for each line of a kind that is registered for calls of a method at fr, with the fields
// that follow.
func sites(kind string, fr host.Frame, method string, f func(fields string)) {
	pkg := packageOf(fr.Func)
	k := lineKey{kind: kind, pkg: pkg, file: base(fr.File), line: fr.Line, name: method}
	registered.index.find(k, func(l *line) {
		p, s := cut(l.fields(), '\t')
		file, s := cut(s, '\t')
		ln, s := cut(s, '\t')
		m, s := cut(s, '\t')
		if n, _ := number(ln); n == fr.Line && m == method && file == k.file &&
			samePackage(p, pkg) {
			f(s)
		}
	})
}
