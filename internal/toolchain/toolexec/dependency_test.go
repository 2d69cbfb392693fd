// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestDependency wants folders to be the user's, or not, by where the main modules and the module
// cache are, whatever they are called.
func TestDependency(t *testing.T) {
	base := t.TempDir()
	at := func(names ...string) string {
		for i := range names {
			names[i] = filepath.Join(base, filepath.FromSlash(names[i]))
		}
		return strings.Join(names, string(filepath.ListSeparator))
	}
	for _, test := range []struct {
		roots, cache, file string
		want               bool
	}{
		{at("app"), at("cache"), at("app/x.go"), false},
		{at("app"), at("cache"), at("app/in/x.go"), false},
		{at("app"), at("cache"), at("app/vendor/example.com/dep/x.go"), true},
		{at("app"), at("cache"), at("application/x.go"), true},
		{at("app"), at("cache"), at("cache/example.com/dep@v1.0.0/x.go"), true},
		{at("x@v1"), at("cache"), at("x@v1/x.go"), false},
		{at("app"), at("cache"), at("app/old@v1/x.go"), false},
		{at("vendor/app"), at("cache"), at("vendor/app/x.go"), false},
		{at("vendor/app"), at("cache"), at("vendor/app/vendor/example.com/dep/x.go"), true},
		{at("work/a", "work/b"), at("cache"), at("work/b/x.go"), false},
		{at("work/a", "work/b"), at("cache"), at("work/vendor/example.com/dep/x.go"), true},
		// The cache is in the user's module, or that in the cache.
		{at("app"), at("app/go/pkg/mod"), at("app/go/pkg/mod/example.com/dep@v1.0.0/x.go"), true},
		{at("cache/app@v1.0.0"), at("cache"), at("cache/app@v1.0.0/x.go"), false},
		{at("cache/app@v1.0.0"), at("cache"), at("cache/dep@v1.0.0/x.go"), true},
		// Where the user's modules are is not known.
		{"", at("cache"), at("x@v1/x.go"), false},
		{"", at("cache"), at("cache/dep@v1.0.0/x.go"), true},
		{"", at("cache"), at("app/vendor/dep/x.go"), true},
	} {
		t.Setenv(RootVariable, test.roots)
		t.Setenv("GOMODCACHE", test.cache)
		if got := dependency(test.file); got != test.want {
			t.Errorf("roots %s, cache %s: %s is a dependency: %v", test.roots, test.cache,
				test.file, got)
		}
	}
}
