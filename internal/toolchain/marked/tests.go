// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package marked

import "slices"

// NamesPackages reports whether the command line names packages. Without any, the one in the current folder is meant.
func (b *Build) NamesPackages() bool {
	_, words := split(b.Command, b.Args)
	return !slices.Equal(words, []string{"."}) || slices.Contains(b.Args, ".")
}

// Tests is the number of packages on the command line that have tests, -1 if the go command cannot say that.
func (b *Build) Tests() int {
	own := *b
	own.Watch = nil
	list, err := own.list()
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
