// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import "github.com/commutego/commute/internal/engine/text"

// PackageOf is the package path of a function's name, escaped as the linker does.
func PackageOf(fn string) string {
	slash := 0
	for i := 0; i < len(fn) && fn[i] != '[' && fn[i] != '('; i++ {
		if fn[i] == '/' {
			slash = i
		}
	}
	for i := slash; i < len(fn); i++ {
		if fn[i] == '.' {
			return fn[:i]
		}
	}
	return fn
}

// samePackage compares a package path with one from a function's name, where dots of the last
// element and other characters are written %xx.
func samePackage(path, escaped string) bool {
	i := 0
	for j := 0; j < len(escaped); j++ {
		c := escaped[j]
		if c == '%' && j+2 < len(escaped) {
			c = text.Unhex(escaped[j+1])<<4 | text.Unhex(escaped[j+2])
			j += 2
		}
		if i >= len(path) || path[i] != c {
			return false
		}
		i++
	}
	return i == len(path)
}
