// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// UsedByStd reports whether the standard library has objects of a type of its own. It calls
// methods of other types only for the program: by reflection, say, or as a method value that it
// is given.
func UsedByStd(typ string) bool {
	return text.HasPrefix(typ, "sync.") || text.HasPrefix(typ, "expvar.")
}

// IsStd reports whether a frame is of the standard library: its file is where the runtime's are.
// In programs that were built with -trimpath that doesn't tell; then a package is one if its path
// has no dot in its first element, as a module's should, and nothing was registered for it.
func IsStd(fr host.Frame) bool {
	if root := host.StdRoot(); root != "" {
		return text.HasPrefix(fr.File, root)
	}
	pkg := PackageOf(fr.Func)
	first, _ := text.Cut(pkg, '/')
	for i := range len(first) {
		if first[i] == '.' {
			return false
		}
	}
	return pkg != "main" && pkg != "" && registrationOf(pkg) == nil
}
