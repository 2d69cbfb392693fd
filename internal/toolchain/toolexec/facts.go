// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"os"

	rewrite "github.com/commutego/commute/internal/rewrite/section"
)

// importedFacts returns what package section has handed on of an imported package: nil if there is
// nothing. Archives are read when they are asked for.
func (u *unit) importedFacts() func(path string) []byte {
	files := make(map[string]string)
	if err := u.eachImport(func(path, file string) { files[path] = file }); err != nil {
		return func(string) []byte { return nil }
	}
	known := make(map[string][]byte)
	return func(path string) []byte {
		facts, ok := known[path]
		if file, imported := files[path]; !ok && imported {
			archive, err := os.ReadFile(file)
			if err == nil {
				facts = factsIn(archive)
			}
			known[path] = facts
		}
		return facts
	}
}

// factsIn is the text between the marks in an archive, nil if there is none.
func factsIn(archive []byte) []byte {
	_, rest, ok := bytes.Cut(archive, []byte(rewrite.FactsBegin))
	if !ok {
		return nil
	}
	facts, _, ok := bytes.Cut(rest, []byte(rewrite.FactsEnd))
	if !ok {
		return nil
	}
	return facts
}
