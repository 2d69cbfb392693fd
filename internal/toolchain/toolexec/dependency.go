// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/goenv"
)

// RootVariable is the environment variable that tells the compiles of a build
// which folders the user's own modules are in, separated as a list of folders is.
const RootVariable = "COMMUTE_ROOT"

// dependency reports whether file belongs to a module that is not the user's to
// change: one in the module cache, vendored, or outside of the main module or
// workspace. Its comments are read as well as they can be.
//
// What the build says decides, not how a folder is called: the cache may be in
// the user's module, and that may have any name, or itself be in the cache. Of
// the folders that contain the file the innermost counts.
func dependency(file string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	root := ""
	roots := filepath.SplitList(os.Getenv(RootVariable))
	for _, r := range roots {
		if goenv.Contains(r, file) && len(r) > len(root) {
			root = r
		}
	}
	if cache := goenv.ModCache(); goenv.Contains(cache, file) && len(cache) > len(root) {
		return true
	}
	if len(roots) > 0 {
		return root == "" || goenv.Contains(filepath.Join(root, "vendor"), file)
	}
	// Nothing is known of the main module: the go command was given the tool by hand.
	return slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "vendor")
}
