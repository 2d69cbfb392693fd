// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import "slices"

// NamesPackages reports whether the command line names packages. Without any, the one in the
// current folder is meant.
func (b *Build) NamesPackages() bool {
	return !slices.Equal(b.Words(), []string{"."}) || slices.Contains(b.Args, ".")
}

// Tests is the number of packages on the command line that have tests, -1 if the go command cannot
// say that.
func (b *Build) Tests() int {
	list, err := b.Named()
	if err != nil {
		return -1
	}
	n := 0
	for _, p := range list {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			n++
		}
	}
	return n
}
