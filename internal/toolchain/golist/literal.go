// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
)

// Quotes reports whether a Go file of the build, outside of the standard library, has a string
// literal. A package that declares a flag of that name has one.
func (b *Build) Quotes(text string) bool {
	all, err := b.All()
	if err != nil {
		return true // it cannot be said
	}
	return slices.ContainsFunc(all, func(p Package) bool {
		return !p.Standard && slices.ContainsFunc(append(p.Own(), p.XTestGoFiles...),
			func(name string) bool {
				if !filepath.IsAbs(name) {
					name = filepath.Join(p.Dir, name)
				}
				data, err := os.ReadFile(name)
				return err == nil &&
					(bytes.Contains(data, []byte(`"`+text+`"`)) ||
						bytes.Contains(data, []byte("`"+text+"`")))
			})
	})
}
