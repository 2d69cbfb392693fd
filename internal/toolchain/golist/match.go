// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package golist

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Dir is the folder that the go command runs in, to which patterns are relative.
func (b *Build) Dir() (string, error) {
	switch len(b.Chdir) {
	case 0:
		return os.Getwd()
	case 1:
		_, to, _ := strings.Cut(b.Chdir[0], "=")
		return filepath.Abs(to)
	}
	return filepath.Abs(b.Chdir[1])
}

// match reports whether a pattern is about the package, as the go command's -gcflags=pattern= has
// it.
func (p *Package) match(pattern, dir string) bool {
	if !Relative(pattern) {
		return Match(pattern, p.ImportPath, p.Standard)
	}
	rel, err := filepath.Rel(dir, p.Dir)
	if err != nil || p.Standard {
		return false
	}
	rel = filepath.ToSlash(rel)
	if rel != "." && rel != ".." && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return matchPath(pattern, rel)
}

// Relative reports whether a pattern is about folders, from the current one on.
func Relative(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") ||
		strings.HasPrefix(pattern, "../")
}

// Match reports whether a pattern that is not relative is about a package.
func Match(pattern, path string, std bool) bool {
	switch pattern {
	case "all":
		return true
	case "std":
		return std
	}
	return matchPath(pattern, path)
}

// matchPath reports whether a pattern, in which "..." stands for any text, matches a path. "x/..."
// matches x itself too.
func matchPath(pattern, path string) bool {
	re := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if strings.HasSuffix(re, `/.*`) {
		re = strings.TrimSuffix(re, `/.*`) + `(/.*)?`
	}
	ok, err := regexp.MatchString(`^`+re+`$`, path)
	return ok && err == nil
}
