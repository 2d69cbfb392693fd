// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specset

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/toolchain/goenv"
	"golang.org/x/mod/module"
)

// ModuleVersion is the version of the module that a package's folder belongs to. A folder in the
// module cache has the version in its name, and vendor/modules.txt lists vendored modules. It is ""
// for the main module's, and for those that are replaced by a folder, whatever their folders are
// called.
func ModuleVersion(dir string) string {
	cache := goenv.ModCache()
	cached := cache != "" && goenv.Contains(cache, dir)
	dir = filepath.ToSlash(dir)
	if i := strings.LastIndex(dir, "@v"); i >= 0 && cached {
		version, _, _ := strings.Cut(dir[i+1:], "/")
		if v, err := module.UnescapeVersion(version); err == nil {
			return v
		}
		return ""
	}
	if i := strings.LastIndex(dir, "/vendor/"); i >= 0 {
		text, err := os.ReadFile(dir[:i] + "/vendor/modules.txt")
		if err != nil {
			return ""
		}
		return vendored(string(text), dir[i+len("/vendor/"):])
	}
	return ""
}

// vendored is the version of the module in vendor/modules.txt that has a package.
func vendored(text, pkg string) string {
	version := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
		case strings.HasPrefix(line, "# "):
			version = ""
			// "# path v1.2.3", "# path v1.2.3 => other v1.2.4"; a folder has no version
			f := strings.Fields(line)
			if len(f) == 3 || len(f) == 6 {
				version = f[len(f)-1]
			}
		case line == pkg:
			return version
		}
	}
	return ""
}
