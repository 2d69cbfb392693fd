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

// RootVariable is the environment variable with the folders of the user's own modules, for the
// compiles of a build. It is separated as a list of folders is.
const RootVariable = "COMMUTE_ROOT"

// dependency reports whether file belongs to a module that is not the user's to change. Such a
// module is in the module cache, or vendored, or outside of the main module or workspace. Mistakes
// in its comments are not reported.
//
// The go command's variables decide, not the name of a folder. The cache may be in the user's
// module, and that may have any name, or itself be in the cache. The innermost folder that contains
// the file counts.
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
