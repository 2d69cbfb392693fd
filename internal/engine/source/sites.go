// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// Sites calls f for each call of a method at fr that is registered.
func Sites(fr host.Frame, method string, f func(*compiled.Site)) {
	k := callAt(fr, method)
	for e := upToDate().sites.find(&k); e != nil; e = e.next.Load() {
		if s := e.of.P(); k.isCall(e.by.P().Path, s.File, s.Line, s.Method) {
			f(s)
		}
	}
}

// Acts calls f for each pair of calls that is registered whose check is a call of a method at fr.
func Acts(fr host.Frame, method string, f func(*compiled.CheckAct)) {
	k := callAt(fr, method)
	for e := upToDate().acts.find(&k); e != nil; e = e.next.Load() {
		a := e.of.P()
		if k.isCall(e.by.P().Path, a.Check.File, a.Check.Line, a.Check.Method) {
			f(a)
		}
	}
}

// callAt is the key of a call of a method at fr.
func callAt(fr host.Frame, method string) key {
	return key{PackageOf(fr.Func), text.Base(fr.File), uint32(fr.Line), method}
}

// isCall reports whether a call is the one of a key.
func (k *key) isCall(pkg, file string, line uint32, method string) bool {
	return line == k.line && method == k.name && file == k.file && samePackage(pkg, k.pkg)
}
